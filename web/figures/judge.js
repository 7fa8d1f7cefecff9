"use strict";
// Richardson's triangle for a function that the reader types, column by column, and the verdict of the library's gradient check.

live("judge", (figure) => {
  const COLUMNS = 6, COLOURS = ["b", "warm", "along", "a", "against", "text"];
  let asked = "", rows = null, verdict = null, at = null, step = -2;
  const row = figure.row(), power = (x) => (x === 0 ? "1" : "10" + String(x).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻"));
  const chart = figure.chart(row, "Error of each column against the step", { from: -11, to: 0, ticks: [-10, -8, -6, -4, -2, 0], text: power, name: "step h" },
    { from: -17.3, to: 1, ticks: [-16, -12, -8, -4, 0], text: power, name: "error" });
  chart.grip({ label: "the step", kind: "guess", at: () => [step, -16.6], step: [0.25, 0], text: (z) => "10 to the power of " + real(z[0], 3), when: () => figure.shown, move: (z) => (step = clamp(z[0], -10.9, -1)) });
  const controls = figure.controls(), f = figure.field(controls, "f(z) =", "1/(1 + z^2)");
  const x = figure.slider(controls, "at x =", { min: -2, max: 2, step: 0.05, value: 0.5 });
  const ratio = figure.slider(controls, "ratio of steps", { min: 1.4, max: 4, step: 0.1, value: 1.8, text: (q) => real(q, 2) });
  const columns = figure.slider(controls, "columns", { min: 1, max: COLUMNS, step: 1, value: 1 });

  figure.predict({
    ask: "Five central difference quotients of 1/(1 + x²), with steps from 0.1 down to 0.01. All steps are far too large: the best quotient has an error of 6·10⁻⁵. How small can the error become when Richardson extrapolation combines them?",
    answers: ["10⁻⁵: no better than its parts", "10⁻⁸", "10⁻¹⁵: close to the precision of a double"],
    check: (k) => {
      columns.value = 5;
      return [k < 0 ? null : k === 2, "Each column cancels one more power of h², while rounding errors are still small. Remove columns, change the ratio, and try sin(100*z), |z|, z^2 + 1000000: the judge gives an error bar for each result."];
    },
  });

  /** T_j(h) = T_{j-1}(h) + (T_{j-1}(h) − T_{j-1}(qh)) / (q^{2j} − 1), with one row for each step h. */
  const triangle = (quotients, q) => {
    const made = [];
    for (const quotient of quotients) {
      const older = made.at(-1), fresh = [quotient];
      for (let j = 1; older && j <= older.length && j < COLUMNS; ++j) fresh.push(fresh[j - 1] + (fresh[j - 1] - older[j - 1]) / (q ** (2 * j) - 1));
      made.push(fresh);
    }
    return made;
  };

  figure.compute = async () => {
    const p = x.value, q = ratio.value, hs = [], wanted = JSON.stringify([f.value, p, q]);
    if (asked === wanted) return;
    asked = wanted;
    for (let h = 0.1; h > 1e-11 && hs.length < 60; h /= q) hs.push(h);
    const answer = await figure.ask({ expression: f.value, points: hs.flatMap((h) => [[p + h, 0], [p - h, 0]]) });
    f.fault(answer.error);
    if (answer.error) return;
    verdict = await figure.ask({ expression: f.value, at: [p, 0], slope: true });
    at = p;
    const value = (k) => answer.value[k][0] ?? NaN;
    rows = { hs, of: triangle(hs.map((h, k) => (value(2 * k) - value(2 * k + 1)) / (2 * h)), q) };
  };

  figure.draw = () => {
    if (!rows) return;
    const error = (number) => Math.log10(Math.max(1e-17, Math.abs(number - verdict.tape)));
    chart.clear();
    if (figure.shown)
      for (let j = columns.value - 1; j >= 0; --j) {
        const points = rows.of.flatMap((row, k) => (row.length > j && Number.isFinite(row[j]) ? [[Math.log10(rows.hs[k]), error(row[j])]] : []));
        chart.path(points, "line " + COLOURS[j]);
        for (const z of points) chart.dot(z, COLOURS[j], 1.6);
      }
    const [found, bar] = verdict.central, k = clamp(Math.round((-1 - step) / Math.log10(ratio.value)), 0, rows.hs.length - 1);
    if (figure.shown) chart.path([[Math.log10(rows.hs[k]), -17.3], [Math.log10(rows.hs[k]), 1]], "line warm dashed");
    if (figure.shown && bar !== null) {
      chart.path([[-11, Math.log10(Math.max(bar, 1e-17))], [0, Math.log10(Math.max(bar, 1e-17))]], "line bad dashed");
      chart.words("the judge's bar", [-10.8, Math.log10(Math.max(bar, 1e-17))], "bad", { anchor: "start", dy: 15 });
    }
    figure.values = { rows, verdict, triangle };
    const said = verdict.kink ? `a kink: the slope is ${real(verdict.left[0], 4)} from the left and ${real(verdict.right[0], 4)} from the right` : verdict.jump ? "a jump of the value itself" : bar === null ? "no reliable value"
      : `${real(found, 12)} ± ${bar.toExponential(0)}` + (verdict.tape === null ? "" : `, off by ${Math.abs(found - verdict.tape).toExponential(0)}`);
    figure.say(figure.shown ? `At ${real(at, 3)} the tape has ∂f/∂x = ${real(verdict.tape, 12)} (of Re f). argand's judge, from steps in the ratio π, finds ${said}. Down to a step of ${rows.hs[k].toExponential(0)} the columns have errors of ${rows.of[k].slice(0, columns.value).map((y) => Math.abs(y - verdict.tape).toExponential(0)).join(", ")}.` : "");
    chart.describe(figure.shown ? figure.said.textContent : "Axes for the errors of extrapolated differences");
  };
}, true);
