"use strict";
// Adam on a rotated landscape, with its path rotated back: with separate second moments for the real and the imaginary part, and
// with a single one for both.

live("adam", (figure) => {
  const loss = (z) => modulus(add(times(z, z), [1, 0])) ** 2;
  const gradient = (z) => scaled(times(conjugate(z), add(times(z, z), [1, 0])), 4);
  /** The path of argand's AdamW without decay (optim/adamw.h) at rate 0.05, rotated back. */
  const pathOf = (start, degrees, two, steps) => {
    const turn = turnOf((degrees * Math.PI) / 180), path = [start];
    let z = times(turn, start), m = [0, 0], v = [0, 0];
    for (let t = 1; t <= steps; ++t) {
      const g = times(turn, gradient(times(z, conjugate(turn)))), one = g[0] * g[0] + g[1] * g[1];
      const square = two ? [g[0] * g[0], g[1] * g[1]] : [one, one];
      m = add(m, scaled(add(g, scaled(m, -1)), 0.1));
      v = add(v, scaled(add(square, scaled(v, -1)), 0.02));
      const part = (k) => (0.05 * m[k]) / (1 - 0.9 ** t) / (Math.sqrt(v[k] / (1 - 0.98 ** t)) + 1e-9);
      z = add(z, [-part(0), -part(1)]);
      path.push(times(z, conjugate(turn)));
    }
    return path;
  };
  let start = [1, 0.5];
  const row = figure.row(), boards = ["two second moments", "one, of |g|²"].map((text) => {
    const board = figure.plane(row, text, 1.6);
    board.below.textContent = text;
    board.grip({ label: "the start", at: () => start, move: (z) => (start = z), when: () => figure.shown });
    return board;
  });
  const heights = Array.from({ length: LANDSCAPE ** 2 }, (_, k) => loss([k % LANDSCAPE, Math.floor(k / LANDSCAPE)].map((n) => 1.6 * ((2 * n) / (LANDSCAPE - 1) - 1))));
  for (const board of boards) for (const level of [0.05, 0.25, 0.6, 1, 2, 4, 7]) element("path", { d: contour(heights, level), class: "contour" }, board.ground);
  const controls = figure.controls();
  const turned = figure.slider(controls, "landscape rotated by", { min: 0, max: 90, step: 1, value: 0, text: (x) => x + "°" });
  const steps = figure.slider(controls, "steps", { min: 1, max: 80, step: 1, value: 40 });

  figure.predict({
    ask: "Both pictures show forty steps of Adam down |z² + 1|². Now the whole landscape is rotated by 30°, and the start with it. Which Adam takes the same path, rotated?",
    answers: ["the left: a second moment for each part", "the right: one for both", "both", "neither"],
    check: (k) => {
      turned.value = 30;
      return [k < 0 ? null : k === 1, "|g|² does not depend on the directions of the axes; (Re g)² and (Im g)² do. Grey is the path before the rotation, blue the one after it, rotated back. Rotate further: at 90° they agree again."];
    },
  });

  figure.draw = () => {
    const ends = boards.map((board, k) => {
      const before = pathOf(start, 0, k === 0, steps.value), after = pathOf(start, turned.value, k === 0, steps.value);
      board.clear();
      board.path(before, "line thick");
      if (figure.shown) board.path(after, "line thick a");
      for (const zero of [[0, 1], [0, -1]]) board.dot(zero, "soft", 2.2);
      board.dot(start, "z", 2.6);
      board.dot(figure.shown ? after.at(-1) : before.at(-1), "a", 2.4);
      return [before.at(-1), after.at(-1)];
    });
    figure.pathOf = pathOf;
    const apart = ends.map(([one, other]) => modulus(add(one, scaled(other, -1))));
    figure.values = { apart };
    figure.say(figure.shown ? `Rotated by ${turned.value}°, after ${steps.value} steps: with two moments the paths end ${real(apart[0], 2)} apart, with one ${apart[1] < 1e-9 ? "at the same place" : real(apart[1], 2) + " apart"}.` : "");
    for (const [k, board] of boards.entries()) board.describe(`${board.below.textContent}: from ${complex(start, 2)} to ${complex(ends[k][1], 2)}`);
  };
});
