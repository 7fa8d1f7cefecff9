"use strict";
// Gradient descent on the angle θ of a QIC algebra, with the loss L = γ κ(θ): where it stops, and what moves it away from π/4.

live("angle", (figure) => {
  const kappa = (theta) => -1 + Math.sin(2 * theta);
  const PRECISIONS = { double: (x) => x, single: Math.fround };
  const gradient = (theta, gamma, round = (x) => x) => round(2 * round(Math.cos(round(2 * theta)))) * gamma;
  /** Descent with rate 0.06, or Adam with rate 0.02 (β 0.9 and 0.98, ε 1e-9), with every number rounded to the precision. */
  const pathOf = (theta, gamma, adam, precision, steps) => {
    const round = PRECISIONS[precision], path = [round(theta)];
    let m = 0, v = 0;
    for (let t = 1; t <= steps; ++t) {
      const g = gradient(path.at(-1), gamma, round);
      m = round(m + 0.1 * (g - m));
      v = round(v + 0.02 * (g * g - v));
      const step = adam ? (0.02 * m) / (1 - 0.9 ** t) / (Math.sqrt(v / (1 - 0.98 ** t)) + 1e-9) : 0.06 * g;
      path.push(round(path.at(-1) - step));
    }
    return path;
  };
  let start = Math.PI / 4;
  const names = { 0: "0", [Math.PI / 4]: "π/4", [Math.PI / 2]: "π/2" }, row = figure.row();
  const chart = figure.chart(row, "κ over θ", { from: -0.95, to: 2.52, ticks: [0, Math.PI / 4, Math.PI / 2], text: (x) => names[x], name: "θ" },
    { from: -2.15, to: 0.25, ticks: [-2, -1, 0], name: "κ = J²" });
  // Readers who drag the start this close to π/4 mean π/4 itself.
  const snapped = (theta) => (Math.abs(theta - Math.PI / 4) < 0.02 ? Math.PI / 4 : clamp(theta, -0.9, 2.5));
  chart.grip({ label: "the angle at the start", kind: "z", at: () => [start, kappa(start)], step: [0.05, 0], text: (z) => real(z[0], 3), when: () => figure.shown, move: (z) => (start = snapped(z[0])) });
  const controls = figure.controls();
  const method = figure.select(controls, "method", ["gradient descent", "Adam"]), precision = figure.select(controls, "precision", Object.keys(PRECISIONS));
  const sign = figure.select(controls, "the loss favours", ["a smaller κ (γ = 1)", "a larger κ (γ = −1)"]);
  const steps = figure.slider(controls, "steps", { min: 1, max: 300, step: 1, value: 60 });

  figure.predict({
    ask: "The loss is L = γκ(θ) with γ = 1, so a smaller κ is better, and ∂L/∂θ = 2γ cos 2θ. Sixty steps of gradient descent start at θ = π/4, in double precision. Where do they lead?",
    answers: ["to −π/4, where κ = −2", "to 0, where κ = −1", "nowhere"],
    check: (k) => [k < 0 ? null : k === 2, `The gradient there is ${gradient(Math.PI / 4, 1).toExponential(1)}: 0 except for the rounding of π/4. A step of that size is lost in θ. Drag the start away from π/4. Or leave it there and choose Adam, which divides by the gradient's own size; then single precision, which rounds π/4 the other way.`],
  });

  figure.draw = () => {
    const gamma = sign.selectedIndex ? -1 : 1, path = pathOf(start, gamma, method.selectedIndex === 1, precision.value, steps.value), end = path.at(-1);
    chart.clear();
    chart.path(Array.from({ length: 121 }, (_, k) => -0.95 + (3.47 * k) / 120).map((t) => [t, kappa(t)]), "line thick a");
    chart.dot([Math.PI / 4, 0], "bad", 3);
    chart.words("flat", [Math.PI / 4, 0], "bad", { dy: 18 });
    if (figure.shown) {
      for (const theta of path) chart.dot([theta, kappa(theta)], "along", 2.2);
      chart.ring([end, kappa(end)]);
    } else chart.dot([start, kappa(start)], "z", 3);
    Object.assign(figure, { pathOf, gradient, values: { path } });
    figure.say(figure.shown ? `The first gradient is ${gradient(path[0], gamma, PRECISIONS[precision.value]).toExponential(2)}. After ${steps.value} steps θ has moved by ${real(end - path[0], 2)}; κ = ${real(kappa(end), 3)}.` : "");
    chart.describe(figure.shown ? figure.said.textContent : "κ over θ: a hill with its top, 0, at π/4");
  };
});
