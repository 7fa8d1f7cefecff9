"use strict";
// Formats numbers as text.

/** Formats 1.5, −0.25, 1.2e-7; null, which the library sends for infinity and NaN, becomes "∞ or NaN". */
function real(x, digits = 6) {
  if (x === null || !Number.isFinite(x)) return "∞ or NaN";
  const text = Number(x.toPrecision(digits));
  return Object.is(text, -0) ? "0" : String(text).replace(/^-/, "−");
}

/** Formats "1 + 2i". A part so small compared with the other that it is only rounding error counts as 0. */
function complex(z, digits = 6) {
  if (!finite(z)) return "not finite";
  const larger = Math.max(Math.abs(z[0]), Math.abs(z[1]));
  const [x, y] = z.map((part) => (Math.abs(part) < larger * 1e-13 ? 0 : part));
  return `${real(x, digits)} ${y < 0 ? "−" : "+"} ${real(Math.abs(y), digits)}i`;
}

/** The number in the form accepted by the field for z and the command line: 1-2i. */
const typed = (z, digits) => complex(z, digits).replaceAll(" ", "").replaceAll("−", "-");
