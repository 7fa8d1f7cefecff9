"use strict";
// Two networks learn what the amplifier tube of chapter 6 does to a signal: the one of docs/programs/network_by_hand.cpp, with the
// same data, and a real one of equal size. They train on signals from a sector of the circle and are tested on the whole circle.

live("training", (figure) => {
  const SAMPLES = 200, EVERY = 10, polar = (r, t) => scaled(turnOf(t), r), square = (z) => z[0] * z[0] + z[1] * z[1];
  const tube = (s) => times(scaled(s, 2.1587 / (1 + 1.1517 * square(s))), turnOf((4.0033 * square(s)) / (1 + 9.104 * square(s))));

  /** The complex network, without biases: y = Σ v modReLU(w s, c). Its parameters are eight groups of Re w, Im w, Re v, Im v, c. */
  const modrelu = {
    start: () => Array.from({ length: 8 }, (_, k) => [...polar(1, 2.4 * k), ...polar(0.3, -2.4 * k), -k / 8]).flat(),
    /** The output for s. If d is given, adds to it the gradients of the parameters, where e is the gradient of the output. */
    run(p, s, e, d) {
      let x = 0, y = 0;
      for (let k = 0; k < 40; k += 5) {
        const h = p[k] * s[0] - p[k + 1] * s[1], i = p[k] * s[1] + p[k + 1] * s[0], r = Math.sqrt(h * h + i * i), c = p[k + 4], v = p[k + 2], w = p[k + 3];
        if (r === 0 || r + c <= 0) continue;
        const zx = (1 + c / r) * h, zy = (1 + c / r) * i;
        x += v * zx - w * zy;
        y += v * zy + w * zx;
        if (!d) continue;
        const gx = v * e[0] + w * e[1], gy = v * e[1] - w * e[0], outward = (h * gx + i * gy) / r;
        const hx = (1 + c / r) * gx - (c * outward * h) / (r * r), hy = (1 + c / r) * gy - (c * outward * i) / (r * r);  // ā g + b ḡ
        d[k] += hx * s[0] + hy * s[1];
        d[k + 1] += hy * s[0] - hx * s[1];
        d[k + 2] += e[0] * zx + e[1] * zy;
        d[k + 3] += e[1] * zx - e[0] * zy;
        d[k + 4] += outward;
      }
      return [x, y];
    },
  };
  /** The real network, which reads Re s and Im s: ten groups of w, w', bias, v, v', then the two biases of the output. */
  const parts = {
    start: () => [...Array.from({ length: 10 }, (_, k) => [...polar(1, 2.4 * k), -k / 10, ...polar(0.3, -2.4 * k)]).flat(), 0, 0],
    run(p, s, e, d) {
      let x = p[50], y = p[51];
      if (d) [d[50], d[51]] = [d[50] + e[0], d[51] + e[1]];
      for (let k = 0; k < 50; k += 5) {
        const h = p[k] * s[0] + p[k + 1] * s[1] + p[k + 2];
        if (h <= 0) continue;
        x += p[k + 3] * h;
        y += p[k + 4] * h;
        if (!d) continue;
        const g = e[0] * p[k + 3] + e[1] * p[k + 4];
        d[k] += g * s[0];
        d[k + 1] += g * s[1];
        d[k + 2] += g;
        d[k + 3] += e[0] * h;
        d[k + 4] += e[1] * h;
      }
      return [x, y];
    },
  };

  const signalsOf = (sector) => Array.from({ length: SAMPLES }, (_, n) => polar((n + 0.5) / SAMPLES, (2.4 * n) % sector)).map((s) => [s, tube(s)]);
  const lossOf = (net, p, samples) => samples.reduce((sum, [s, t]) => sum + square(add(net.run(p, s), scaled(t, -1))), 0) / samples.length;
  const gradientOf = (net, p, samples) => {
    const d = new Float64Array(p.length);
    for (const [s, t] of samples) net.run(p, s, scaled(add(net.run(p, s), scaled(t, -1)), 2 / samples.length), d);
    return d;
  };
  const circle = signalsOf(2 * Math.PI), power = circle.reduce((sum, [, t]) => sum + square(t), 0) / SAMPLES, SECTORS = [Math.PI / 2, Math.PI, 2 * Math.PI];

  const nets = [["a real network", parts, "against"], ["modReLU, no biases", modrelu, "text"]].map(([name, net, colour]) => ({ name, net, colour, history: [] }));
  let signal = polar(0.6, (5 * Math.PI) / 4), seen = [];
  const row = figure.row("four"), plane = (words) => {
    const made = figure.plane(row, words, 1.35);
    made.below.textContent = words;
    return made;
  };
  const from = plane("signals");
  from.grip({ label: "the input signal of both networks", at: () => signal, move: (z) => (signal = scaled(z, Math.min(1, 1 / modulus(z)))), when: () => figure.shown });
  for (const one of nets) one.plane = plane(one.name);
  const chart = figure.chart(figure.row(), "errors over steps", { from: 0, to: 3100, ticks: [0, 1000, 2000, 3000], name: "steps" },
    { from: -1.8, to: 2.4, ticks: [-1, 0, 1, 2], text: (x) => String(10 ** x), name: "error in %" });
  const controls = figure.controls();
  const steps = figure.slider(controls, "steps", { min: 0, max: 3000, step: EVERY, value: 3000 });
  const rate = figure.slider(controls, "learning rate", { min: -2, max: 0, step: 0.1, value: -1, text: (x) => real(10 ** x, 2) });
  const sector = figure.select(controls, "training phases", ["a quarter of the circle", "half of it", "all of it"], () => restart());
  make("button", { type: "button" }, controls, "train again").addEventListener("click", () => restart());

  const remember = (one) => one.history.push({ p: one.p.slice(), errors: [seen, circle].map((samples) => (100 * lossOf(one.net, one.p, samples)) / power) });
  const trainedAt = () => [rate.value, sector.selectedIndex].join();
  let trained = "";
  function restart() {
    trained = trainedAt();
    seen = signalsOf(SECTORS[sector.selectedIndex]);
    for (const one of nets) {
      one.history = [];
      one.p = Float64Array.from(one.net.start());
      remember(one);
    }
    figure.update();
  }
  /** Takes at most twenty steps between drawings, so that training can be watched and the page stays responsive. */
  function train() {
    if (trained !== trainedAt()) restart();
    for (let k = 0; k < 2 && nets[0].history.length <= steps.value / EVERY; ++k)
      for (const one of nets) {
        for (let step = 0; step < EVERY; ++step) gradientOf(one.net, one.p, seen).forEach((g, n) => (one.p[n] -= 10 ** rate.value * g));
        remember(one);
      }
    if (nets[0].history.length <= steps.value / EVERY) requestAnimationFrame(() => figure.update());
  }

  figure.predict({
    ask: "Both networks train here from random weights: 3000 steps of plain gradient descent on 200 signals with phases between 0° and 90°. On these the error of the real one falls from 102 % to 1 %. And on the whole circle?",
    answers: ["to 1 % as well", "to about 10 %", "to about 50 %", "it rises"],
    check: (k) => [k < 0 ? null : k === 2, "Outside its training data the real network is wrong. The modReLU network has the same error inside and outside: what it learns on the quarter holds for every phase. Drag the signal around, and train on more of the circle."],
  });

  figure.draw = () => {
    if (figure.shown) train();
    else if (!nets[0].history.length) restart();
    const at = figure.shown ? Math.min(nets[0].history.length - 1, steps.value / EVERY) : 0, r = modulus(signal), span = SECTORS[sector.selectedIndex], answer = tube(signal);
    from.clear();
    for (const [s] of seen) from.dot(s, "along", 0.9);
    from.path(around(97, (t) => polar(r, t)), "line", true);
    if (!figure.shown) from.dot(signal, "z", 3);
    for (const { net, history, plane } of nets) {
      const say = (s) => net.run(history[at].p, s);
      plane.clear();
      plane.path(around(97, (t) => tube(polar(r, t))), "line thick a", true);
      plane.path(around(145, (t) => say(polar(r, t))), "line thick b", true);
      plane.path(around(145, (t) => say(polar(r, (t * span) / (2 * Math.PI)))), "line thick along");
      plane.path([answer, say(signal)], "line bad");
      plane.dot(answer, "a", 2.6);
      plane.dot(say(signal), "z", 2.6);
      plane.describe(`For signals of modulus ${real(r, 2)}: the tube's answers and those of ${plane.below.textContent}`);
    }
    chart.clear();
    for (const { name, history, colour } of figure.shown ? nets : []) {
      for (const [k, dashed] of ["", " dashed"].entries())
        chart.path(history.slice(0, at + 1).map((one, n) => [n * EVERY, Math.log10(one.errors[k])]), `line thick ${colour}${dashed}`);
      const ends = history[at].errors.map(Math.log10), same = Math.abs(ends[0] - ends[1]) < 0.15, label = (k, where) =>
        chart.words(`${name.split(",")[0]} ${where}`, [3050, ends[k]], colour, { anchor: "end", dy: colour === "text" ? 15 : -7 });
      label(0, same ? "on both" : "on its sector");
      if (!same) label(1, "on the whole circle");
    }
    figure.values = { lossOf, gradientOf, tube, seen, nets, at };
    const errors = nets.map((one) => one.history[at].errors.map((x) => real(x, 2) + " %"));
    const [made, own] = nets.map((one) => complex(one.net.run(one.history[at].p, signal), 3));
    figure.say(!figure.shown ? "" : `After ${at * EVERY} steps the real network has an error of ${errors[0][0]} on its training sector and of ${errors[0][1]} on the whole circle, the modReLU network of ${errors[1][0]} and ${errors[1][1]}. `
      + `For ${complex(signal, 2)} the tube's output is ${complex(answer, 3)}, the real network's ${made}, the modReLU network's ${own}.`);
    chart.describe(figure.shown ? figure.said.textContent : "Errors over steps, not trained yet");
  };
});
