"use strict";
// The error of a numerical derivative as a function of its step size, for a function that the reader types. The library computes
// the values and the derivative.

live("steps", (figure) => {
  const HS = Array.from({ length: 46 }, (_, k) => 10 ** (-k / 3)), FLOOR = 1e-16;
  let asked = "", at = null, curves = null, guess = -2;
  const row = figure.row(), power = (x) => (x === 0 ? "1" : "10" + String(x).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻"));
  const chart = figure.chart(row, "Error against step", { from: -15.5, to: 0.3, ticks: [-15, -12, -9, -6, -3, 0], text: power, name: "step h" },
    { from: -16.6, to: 1, ticks: [-16, -12, -8, -4, 0], text: power, name: "error" });
  chart.grip({ label: "the step", kind: "guess", at: () => [guess, figure.shown ? -16.2 : -8], step: [0.25, 0], text: (z) => "10 to the power of " + real(z[0], 3), move: (z) => (guess = clamp(z[0], -15, 0)) });
  const controls = figure.controls(), f = figure.field(controls, "f(z) =", "1/(1 + z^2)");
  const x = figure.slider(controls, "at x =", { min: -2, max: 2, step: 0.05, value: 0.5 });
  const log = (error) => Math.log10(Math.max(error, FLOOR));
  const errorAt = (curve, h) => curve[clamp(Math.round(-3 * h), 0, HS.length - 1)];

  figure.predict({
    ask: "The derivative of 1/(1 + x²) at ½, by the central quotient (f(x + h) − f(x − h))/2h in double precision. Which step leaves the smallest error? Drag the ring left or right.",
    check: (k) => {
      if (!curves) return [null, ""];
      const best = curves.central.indexOf(Math.min(...curves.central)), here = errorAt(curves.central, guess);
      return [k < 0 ? null : here < 1e-10, `Near 10⁻⁵, about the cube root of the machine epsilon: there ${HS[best].toExponential(0)} leaves ${curves.central[best].toExponential(0)}.` + (k < 0 ? "" : ` Yours leaves ${here.toExponential(0)}.`) + " Further right the quotient is too coarse, further left the values cancel. Try your own function: sin(50*z), exp(z), z^2 + 1000, |z|."];
    },
  });

  figure.compute = async () => {
    const p = x.value, wanted = JSON.stringify([f.value, p]);
    if (asked === wanted) return;
    asked = wanted;
    const points = [[p, 0], ...HS.flatMap((h) => [[p + h, 0], [p - h, 0], [p, h]])];
    const answer = await figure.ask({ expression: f.value, points });
    f.fault(answer.error);
    if (answer.error) return;
    at = p;
    const value = (k) => answer.value[k], minus = (u, v) => add(u, scaled(v, -1)), slope = add(answer.dz[0], answer.dzbar[0]);
    const off = (quotient) => modulus(minus(quotient, slope));
    // Im f(x + ih)/h approximates the derivative only if f is holomorphic and real on the real axis.
    const whole = Math.abs(value(0)[1]) === 0 && modulus(answer.dzbar[0]) === 0 && HS.every((_, k) => value(1 + 3 * k)[1] === 0);
    curves = {
      one: HS.map((h, k) => off(scaled(minus(value(1 + 3 * k), value(0)), 1 / h))),
      central: HS.map((h, k) => off(scaled(minus(value(1 + 3 * k), value(2 + 3 * k)), 0.5 / h))),
      complex: whole ? HS.map((h, k) => off([value(3 + 3 * k)[1] / h, 0])) : null, slope,
    };
  };

  figure.draw = () => {
    if (!curves) return;
    chart.clear();
    chart.path([[guess, -16.6], [guess, 1]], "line warm dashed");
    if (figure.shown)
      for (const [name, colour] of [["one", "b"], ["central", "a"], ["complex", "along"]]) {
        if (!curves[name]) continue;
        const points = curves[name].map((error, k) => [-k / 3, log(error)]);
        chart.path(points, "line " + colour);
        for (const z of points) chart.dot(z, colour, 1.6);
      }
    figure.values = { curves, HS };
    const now = (name) => errorAt(curves[name], guess).toExponential(0), best = (name) => HS[curves[name].indexOf(Math.min(...curves[name].filter(Number.isFinite)))]?.toExponential(0);
    figure.say(!figure.shown ? "" : finite(curves.slope) ? `f′ = ${curves.slope[1] ? complex(curves.slope, 8) : real(curves.slope[0], 8)} at ${real(at, 3)}. At h = ${(10 ** guess).toExponential(0)} the error is ${now("one")} one-sided (orange; best at ${best("one")}), ${now("central")} central (blue; best at ${best("central")})` +
      (curves.complex ? `, ${now("complex")} by the complex step (green).` : ". There is no complex step: f is not holomorphic there, or not real on the real axis.") : `f has no derivative at ${real(at, 3)}.`);
    chart.describe(figure.shown ? figure.said.textContent : "Axes for the error against the step, both logarithmic");
  };
}, true);
