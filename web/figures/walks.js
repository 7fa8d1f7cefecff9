"use strict";
// Gradient descent from one start over the contours of L: one path along -g, one along its conjugate. The library computes both.

live("walks", (figure) => {
  let start = [1, 0.5], drawn = "", reply = null;
  const row = figure.row(), plane = figure.plane(row, "The plane of z with contours of L", 2);
  plane.box.parentElement.classList.add("large");
  plane.grip({ label: "the start of both walks", at: () => start, move: (z) => (start = z), when: () => figure.shown });
  const controls = figure.controls(), loss = figure.field(controls, "L =", "|z^2 + 1|^2");
  const rate = figure.slider(controls, "learning rate", { min: -3, max: -0.5, step: 0.05, value: -1.5, text: (x) => real(10 ** x, 2) });

  figure.predict({
    ask: "The small dots are the zeros of |z² + 1|². From the large one two walks of forty steps set out: one along −g, one along the conjugate, −ḡ. The first ends at a zero. And the second?",
    answers: ["at the same zero, later", "at the other zero", "at 0, where it is not lowest", "far away"],
    check: (k) => [k < 0 ? null : k === 2, "Its first steps even go down: there g is almost real, and ḡ almost g. Then the mirror image of the gradient draws it onto the saddle. Now drag the start around. Where do both agree? From where does the violet one run away?"],
  });

  figure.compute = async () => {
    const wanted = loss.value;
    if (drawn !== wanted) {
      const answer = await figure.ask({ expression: wanted, landscape: { half: 2, points: LANDSCAPE } });
      loss.fault(answer.error);
      if (answer.error) return;
      drawn = wanted;
      drawContours(plane.ground, answer.landscape);
    }
    const answer = await figure.ask({ expression: drawn, at: start, rate: 10 ** rate.value, walks: true });
    loss.fault(answer.error);
    if (!answer.error) reply = answer.descent;
  };

  figure.draw = () => {
    if (!reply) return;
    plane.clear();
    if (drawn === "|z^2 + 1|^2") for (const zero of [[0, 1], [0, -1]]) plane.dot(zero, "z", 2);
    if (!figure.shown) plane.dot(start, "z", 3);
    else
      for (const [walk, classes] of [["conjugate", "against"], ["gradient", "along"]]) {
        plane.path(reply[walk].path, "line thick " + classes + (walk === "conjugate" ? " dashed" : ""));
        for (const z of reply[walk].path.slice(1)) plane.dot(z, classes, 1.2);
      }
    const [z, next] = reply.gradient.path, g = next ? scaled(add(z, scaled(next, -1)), 10 ** -rate.value) : [NaN, NaN];
    const end = (walk) => ({ far: "runs away", "not finite": "ends where nothing is finite" })[reply[walk].end] || `comes to ${complex(reply[walk].path.at(-1), 2)}, L = ${real(reply[walk].loss.at(-1), 3)}`;
    figure.values = { g, reply };
    figure.say(!figure.shown ? "" : `L is ${real(reply.gradient.loss[0], 4)} at the start, g = ${complex(g, 3)}. Green, along −g: ${end("gradient")}. Violet, along −ḡ: ${end("conjugate")}. To first order a step along −ḡ changes L by −η Re(g²), and Re(g²) is ${real(times(g, g)[0], 3)} here.`);
    plane.describe(figure.shown ? figure.said.textContent : "Contours of L and the start of two walks");
  };
}, true);
