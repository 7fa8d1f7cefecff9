"use strict";
// Draws in the complex plane: a square SVG, 200 units wide, that shows the numbers around a centre.

const SVG = "http://www.w3.org/2000/svg", FAR = 2000;

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

const finite = (z) => z !== null && Number.isFinite(z[0]) && Number.isFinite(z[1]) && z[0] !== null && z[1] !== null;
const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
const times = (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
const scaled = (a, s) => [a[0] * s, a[1] * s];
const turnOf = (t) => [Math.cos(t), Math.sin(t)];
const modulus = (a) => Math.hypot(a[0], a[1]);

/** The smallest number of the form 1, 2 or 5 times a power of ten that is at least x. */
function round125(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((m) => m * power >= x * (1 - 1e-9));
}

class Plane {
  constructor(svg) {
    this.svg = svg;
    this.centre = [0, 0];
    this.half = 2;
    this.density = 4;  // roughly how many grid lines on either side of the centre
    this.ground = element("g", {}, svg);  // kept when the layer is redrawn
    this.layer = element("g", {}, svg);
  }
  /** SVG coordinates of z, clamped to FAR, because drawing the invisible dashes of a longer line can take a browser seconds. */
  x(z) { return Math.max(-FAR, Math.min(FAR, ((z[0] - this.centre[0]) / this.half) * 100)); }
  y(z) { return Math.max(-FAR, Math.min(FAR, (-(z[1] - this.centre[1]) / this.half) * 100)); }
  /** The complex number at the pointer's position. */
  number(event) {
    const box = this.svg.getBoundingClientRect(), size = Math.min(box.width, box.height);
    const across = (event.clientX - box.left - box.width / 2) / (size / 2), up = -(event.clientY - box.top - box.height / 2) / (size / 2);
    return [this.centre[0] + across * this.half, this.centre[1] + up * this.half];
  }
  clear() {
    this.layer.replaceChildren();
    this.grid();
  }
  grid() {
    const step = round125(this.half / this.density), digits = Math.max(0, -Math.floor(Math.log10(step)));
    for (const axis of [0, 1]) {
      const first = Math.ceil((this.centre[axis] - this.half) / step);
      for (let k = first; k * step <= this.centre[axis] + this.half; ++k) {
        const at = ((k * step - this.centre[axis]) / this.half) * 100;
        const line = axis === 0 ? { x1: at, x2: at, y1: -100, y2: 100 } : { x1: -100, x2: 100, y1: -at, y2: -at };
        element("line", { ...line, class: k === 0 ? "axis" : "grid" }, this.layer);
        if (Math.abs(at) > 88) continue;
        const label = (k * step).toFixed(digits) + (axis === 1 && k !== 0 ? "i" : "");
        const place = axis === 0 ? { x: at, y: 97.5, "text-anchor": "middle" } : { x: -98, y: -at + 2 };
        element("text", { ...place, class: "tick" }, this.layer).textContent = label;
      }
    }
  }
  path(points, classes, closed) {
    const shown = points.filter((z) => finite(z) && !(closed && Math.max(Math.abs(this.x(z)), Math.abs(this.y(z))) === FAR));
    if (shown.length < 2) return;
    const d = "M" + shown.map((z) => this.x(z).toFixed(2) + " " + this.y(z).toFixed(2)).join("L") + (closed ? "Z" : "");
    element("path", { d, class: classes }, this.layer);
  }
  dot(z, classes, radius) {
    if (finite(z)) element("circle", { cx: this.x(z), cy: this.y(z), r: radius, class: "dot " + classes }, this.layer);
  }
  arrow(from, to, classes) {
    if (!finite(from) || !finite(to)) return;
    const x = this.x(to), y = this.y(to), dx = x - this.x(from), dy = y - this.y(from), length = Math.hypot(dx, dy);
    if (length < 0.3) return;
    const tip = Math.min(5, 0.5 * length), ux = dx / length, uy = dy / length;
    const wing = (s) => `${(x - tip * (ux + s * 0.5 * uy)).toFixed(2)} ${(y - tip * (uy - s * 0.5 * ux)).toFixed(2)}`;
    const d = `M${this.x(from).toFixed(2)} ${this.y(from).toFixed(2)}L${x.toFixed(2)} ${y.toFixed(2)}M${wing(1)}L${x.toFixed(2)} ${y.toFixed(2)}L${wing(-1)}`;
    element("path", { d, class: "arrow " + classes }, this.layer);
  }
}
