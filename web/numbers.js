"use strict";
// Numbers as text.

/** 1.5, −0.25, 1.2e-7; "infinite" where the library sends null. */
function real(x, digits = 6) {
  if (x === null || !Number.isFinite(x)) return "∞ or NaN";
  const text = Number(x.toPrecision(digits));
  return Object.is(text, -0) ? "0" : String(text).replace(/^-/, "−");
}

/** "1 + 2i". Parts that are rounding beside the other are 0. */
function complex(z, digits = 6) {
  if (!finite(z)) return "not finite";
  const larger = Math.max(Math.abs(z[0]), Math.abs(z[1]));
  const [x, y] = z.map((part) => (Math.abs(part) < larger * 1e-13 ? 0 : part));
  return `${real(x, digits)} ${y < 0 ? "−" : "+"} ${real(Math.abs(y), digits)}i`;
}

/** The same as the field for z and a command line read it: 1-2i. */
const typed = (z, digits) => complex(z, digits).replaceAll(" ", "").replaceAll("−", "-");
