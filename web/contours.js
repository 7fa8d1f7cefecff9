"use strict";
// Contour lines of values on a square grid, by marching squares.

const LANDSCAPE = 81;  // points along each side of the grid

/** Levels that divide the finite values into groups of equal size; empty if all values are equal. */
function levelsOf(heights, count) {
  const sorted = heights.filter((h) => h !== null).sort((a, b) => a - b);
  const levels = Array.from({ length: count }, (_, k) => sorted[Math.floor(((k + 0.5) / count) * sorted.length)]);
  return levels.filter((level, k) => level > sorted[0] && level !== levels[k - 1]);
}

/** The contour at one level as an SVG path over the square -100 ... 100; row 0 is at the bottom. */
function contour(heights, level) {
  const n = LANDSCAPE, step = 200 / (n - 1);
  let d = "";
  for (let row = 0; row + 1 < n; ++row)
    for (let column = 0; column + 1 < n; ++column) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => [column + x, row + y, heights[(row + y) * n + column + x]]);
      if (corners.some((corner) => corner[2] === null)) continue;
      const crossings = [];
      for (let k = 0; k < 4; ++k) {
        const [x, y, h] = corners[k], [u, v, i] = corners[(k + 1) % 4];
        if (h < level === i < level) continue;
        const t = (level - h) / (i - h);
        crossings.push(`${((x + t * (u - x)) * step - 100).toFixed(1)} ${(100 - (y + t * (v - y)) * step).toFixed(1)}`);
      }
      for (let k = 0; k + 1 < crossings.length; k += 2) d += `M${crossings[k]}L${crossings[k + 1]}`;
    }
  return d;
}

/** Draws the contours into an SVG group, lower ones darker. */
function drawContours(group, heights) {
  const levels = levelsOf(heights, 16);
  group.replaceChildren();
  for (const [k, level] of levels.entries())
    element("path", { d: contour(heights, level), class: "contour", opacity: (0.95 - (0.65 * k) / Math.max(1, levels.length - 1)).toFixed(2) }, group);
}
