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
    ask: "The small dots are the zeros of |z² + 1|². Two walks of forty steps start from the large one: one along −g, one along the conjugate, −ḡ. The first ends at a zero. Where does the second end?",
    answers: ["at the same zero, later", "at the other zero", "at 0, which is not a minimum", "far away"],
    check: (k) => [k < 0 ? null : k === 2, "Its first steps even descend: there g is almost real, so ḡ is almost g. Then the conjugate gradient leads it to the saddle. Now drag the start around. Where do both agree? From which starts does the violet walk diverge?"],
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
    const end = (walk) => ({ far: "diverges", "not finite": "ends where L is not finite" })[reply[walk].end] || `ends at ${complex(reply[walk].path.at(-1), 2)}, L = ${real(reply[walk].loss.at(-1), 3)}`;
    figure.values = { g, reply };
    figure.say(!figure.shown ? "" : `L is ${real(reply.gradient.loss[0], 4)} at the start, g = ${complex(g, 3)}. Green, along −g: ${end("gradient")}. Violet, along −ḡ: ${end("conjugate")}. To first order a step along −ḡ changes L by −η Re(g²), and Re(g²) is ${real(times(g, g)[0], 3)} here.`);
    plane.describe(figure.shown ? figure.said.textContent : "Contours of L and the start of two walks");
  };
}, true);
