"use strict";
// a dz + b dz̄ as two arrows: one rotates with the step, the other against it, and their sum traces an ellipse.

live("ellipse", (figure) => {
  const problems = [[[0.9, 0.5], [0.2, -0.45]], [[0.3, 0.2], [-0.4, 0.9]], [[1, 0], [0.5, 0]], [[-0.6, 0.6], [0.5, 0.5]]];
  let problem = 0, [a, b] = problems[0], turn = 0, guess = [0.4, 0.4];
  const end = (t) => forwards(a, b, turnOf(t)), row = figure.row();
  const steps = figure.plane(row, "The plane of the step dz", 1.6), images = figure.plane(row, "The plane of df", 1.9);
  steps.below.textContent = "the step dz";
  images.below.textContent = "df = a dz + b dz̄";
  const controls = figure.controls(), angle = figure.slider(controls, "t", { min: 0, max: 360, step: 1, value: 0, text: (x) => x + "°" });
  const play = make("button", { type: "button", "aria-pressed": false }, controls, "turn");
  play.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let turning = 0;
  play.addEventListener("click", () => {
    turning = turning ? (clearInterval(turning), 0) : setInterval(() => {
      angle.value = (angle.value + 3) % 360;
      figure.update();
    }, 50);
    play.setAttribute("aria-pressed", turning !== 0);
    play.textContent = turning ? "stop" : "turn";
  });

  steps.grip({ label: "the step dz, of length 1", at: () => turnOf(turn), when: () => figure.shown, step: 0.1,
    text: () => `${angle.value} degrees`,
    move: (z, way) => (angle.value = way ? (angle.value + 5 * (way[1] - way[0]) + 360) % 360 : (Math.round((Math.atan2(z[1], z[0]) * 180) / Math.PI) + 360) % 360) });
  images.grip({ label: "your guess of where the end will be", kind: "guess", at: () => guess, when: () => !figure.shown, move: (z) => (guess = z) });
  // The tip of the first arrow is a e^{it}, so dragging it changes a; dragging the end of the second changes b.
  images.grip({ label: "the tip of the first arrow, a times the step", kind: "a", at: () => times(a, turnOf(turn)), when: () => figure.shown,
    move: (z) => (a = times(z, turnOf(-turn))) });
  images.grip({ label: "the tip of the second arrow, b times the conjugate step", kind: "b", at: () => end(turn), when: () => figure.shown,
    move: (z) => (b = times(add(z, scaled(times(a, turnOf(turn)), -1)), turnOf(turn))) });

  figure.predict({
    ask: "The step makes a quarter turn, from 1 to i. The blue arrow turns with it, the orange arrow turns the other way. Where does the tip of the orange arrow end up? Drag the dashed ring there.",
    check: (k) => {
      angle.value = 90;
      const z = end(Math.PI / 2), off = modulus(add(guess, scaled(z, -1)));
      return [k < 0 ? null : off < 0.2, `It ends at ai − bi = ${complex(z, 2)}` + (k < 0 ? "." : `, ${real(off, 2)} from the ring.`) + " Now drag the step all the way around, and the tips of both arrows."];
    },
    again: () => {
      [a, b] = problems[++problem % problems.length];
      angle.value = 0;
    },
  });

  figure.draw = () => {
    turn = (angle.value * Math.PI) / 180;
    const first = times(a, turnOf(turn)), [p, q] = [modulus(a), modulus(b)];
    steps.clear();
    steps.path(around(72, turnOf), "line", true);
    steps.arrow([0, 0], turnOf(turn), "z");
    if (!figure.shown) steps.path(around(72, (t) => scaled(turnOf(t / 4), 1.25)), "line warm dashed");
    images.clear();
    if (figure.shown) {
      images.path(around(96, end), "line thick text", true);
      const parallel = (Math.atan2(b[1], b[0]) - Math.atan2(a[1], a[0])) / 2;
      for (const t of [parallel, parallel + Math.PI / 2]) images.path([end(t), end(t + Math.PI)], "line dashed");
    }
    images.arrow([0, 0], first, "a");
    images.arrow(first, end(turn), "b");
    if (figure.shown) images.ring(guess);
    for (const [name, from, arrow] of [["a", [0, 0], first], ["b", first, times(b, turnOf(-turn))]]) {
      const side = scaled([arrow[1], arrow[0]], 13 / Math.max(1e-9, modulus(arrow)));  // puts the letter next to the arrow's middle
      images.words(name, add(from, scaled(arrow, 0.5)), name, { dx: side[0], dy: side[1] + 4 });
    }
    figure.values = { halfAxes: [p + q, Math.abs(p - q)], determinant: p * p - q * q, end: end(turn) };
    const sense = p > q * (1 + 1e-9) ? "the ellipse runs the same way as the step" : q > p * (1 + 1e-9) ? "the ellipse runs the opposite way to the step" : "the ellipse is flat";
    figure.say(figure.shown ? `a = ${complex(a, 2)}, b = ${complex(b, 2)}. Half-axes |a| + |b| = ${real(p + q, 3)} and ||a| − |b|| = ${real(Math.abs(p - q), 3)}; det J = |a|² − |b|² = ${real(p * p - q * q, 3)}: ${sense}.` : "");
    images.describe(figure.shown ? figure.said.textContent : "Two arrows, one after the other, at the step 1");
  };
});
