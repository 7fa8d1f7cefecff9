"use strict";
// The Newton-Schulz iteration on singular values: an odd polynomial, applied repeatedly.

live("newton", (figure) => {
  const POLYNOMIALS = { "Muon's, 3.4445 s − 4.775 s³ + 2.0315 s⁵": [3.4445, -4.775, 2.0315], "Newton's, (3 s − s³)/2": [1.5, -0.5, 0] };
  const STEPS = 16, COLOURS = ["a", "b", "along", "against"];
  const after = (s, [a, b, c]) => s * (a + s * s * (b + s * s * c));
  const runOf = (s, polynomial) => {
    const run = [s];
    while (run.length <= STEPS) run.push(after(run.at(-1), polynomial));
    return run;
  };
  // The singular values of docs/programs/polar_factor.cpp, 3, 1, 0.1 and 0.01, divided by √2 times their norm; as logarithms.
  const values = [3, 1, 0.1, 0.01].map((s) => Math.log10(s / Math.sqrt(2 * 10.0101)));
  const row = figure.row(), chart = figure.chart(row, "Singular values over the steps",
    { from: -0.4, to: STEPS, ticks: [0, 5, 10, 15], name: "steps" }, { from: -3.2, to: 0.4, ticks: [-3, -2, -1, 0], text: (y) => ["1", "0.1", "0.01", "0.001"][-y], name: "singular value" });
  for (const [k, colour] of COLOURS.entries())
    chart.grip({ label: `singular value ${k + 1} at the start`, kind: colour, at: () => [0, values[k]], step: [0, 0.05], text: () => real(10 ** values[k], 2),
      move: (z) => (values[k] = clamp(z[1], -3.1, 0)), when: () => figure.shown });
  const controls = figure.controls(), chosen = figure.select(controls, "polynomial", Object.keys(POLYNOMIALS));

  figure.predict({
    ask: "Four singular values, the smallest 300 times smaller than the largest. Each step applies Muon's polynomial to all of them; at 0 its slope is 3.4. After how many steps are all four between 0.7 and 1.2?",
    answers: ["3", "5", "8", "15"],
    check: (k) => [k < 0 ? null : k === 1, "Five: small ones grow by a factor of 3.4 per step, and none ever converges. Drag the rings down, and try Newton's polynomial, which converges, but more slowly."],
  });

  figure.draw = () => {
    const polynomial = POLYNOMIALS[chosen.value], runs = values.map((y) => runOf(10 ** y, polynomial));
    const near = (n) => runs.every((run) => run[n] >= 0.7 && run[n] <= 1.2);
    chart.clear();
    chart.path([[-0.4, 0], [STEPS, 0]], "line axis");
    for (const [k, y] of values.entries()) chart.dot([0, y], COLOURS[k], 3);
    if (figure.shown)
      for (const [k, run] of runs.entries()) {
        const points = run.map((s, n) => [n, Math.log10(Math.max(1e-9, Math.abs(s)))]);
        chart.path(points, "line " + COLOURS[k]);
        for (const z of points) chart.dot(z, COLOURS[k], 2);
      }
    const first = runs[0].findIndex((_, n) => near(n)), stays = first >= 0 && runs[0].every((_, n) => n < first || near(n));
    figure.runOf = runOf;
    figure.values = { first, runs };
    figure.say(!figure.shown ? "" : `After five steps: ${runs.map((run) => run[5].toFixed(4)).join(", ")}. ` +
      (first < 0 ? `Sixteen steps do not bring all of them between 0.7 and 1.2.` : `All are between 0.7 and 1.2 after ${first} steps${stays ? ", and stay there" : ", and later leave this range slightly"}.`));
    chart.describe(figure.shown ? figure.said.textContent : "Four singular values at the start");
  };
});
