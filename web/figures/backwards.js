"use strict";
// A circle of gradients is propagated backwards through two layers: g_w = ā g_v + b ḡ_v, then g_z = ā g_w + b ḡ_w. The library computes
// the derivatives a and b.

live("backwards", (figure) => {
  const LAYERS = ["z^2", "z + conj(z)/2", "conj(z)", "exp(z)", "|z|*z", "modrelu(z, -0.5)", "z/|z|", "1/z"];
  let z = [1, 0.5], turn = 0, layers = null, guess = [1.5, 1.5], size = 5;
  const row = figure.row("four"), boards = ["z", "g_z", "g_w", "g_v"].map((name) => figure.plane(row, name, 2));
  const [place, last, middle, first] = boards;
  place.below.textContent = "the input z";
  const controls = figure.controls();
  const one = figure.select(controls, "w =", LAYERS), two = figure.select(controls, "then v =", LAYERS.map((text) => text.replaceAll("z", "w")));
  two.selectedIndex = 1;
  place.grip({ label: "the input z", at: () => z, move: (to) => (z = to), when: () => figure.shown });
  first.grip({ label: "the gradient at v, of length 1", kind: "along", at: () => turnOf(turn), text: () => `${Math.round((turn * 180) / Math.PI)} degrees`, when: () => figure.shown,
    move: (to, way) => (turn = way ? turn + 0.1 * (way[1] - way[0]) : Math.atan2(to[1], to[0])) });
  last.grip({ label: "your guess of the gradient at z", kind: "guess", at: () => guess, when: () => !figure.shown, move: (to) => (guess = to) });

  figure.predict({
    ask: "Two layers, w = z² at z = 1 + ½i (so a = 2 + i, b = 0) and then v = w + w̄/2 (so a = 1, b = ½). The gradient at v is g_v = 1. What is g_z? Find g_w first, then drag the ring to g_z.",
    check: (k) => {
      const found = layers ? backwards(...layers[0], backwards(...layers[1], [1, 0])) : [3, -1.5], off = modulus(add(guess, scaled(found, -1)));
      turn = 0;
      return [k < 0 ? null : off < 0.4, `g_w = 1 + ½ = 1.5, and g_z = (2 − i) · 1.5 = ${complex(found, 3)}: the conjugate of a is easily forgotten. The curves show where all g_v of length 1 are mapped. Drag g_v around, drag z, and try other layers.`];
    },
  });

  figure.compute = async () => {
    const inner = await figure.ask({ expression: one.value, points: [z] }), w = inner.value?.[0];
    const outer = w && finite(w) ? await figure.ask({ expression: LAYERS[two.selectedIndex], points: [w] }) : null;
    const derivatives = (answer) => [answer.dz[0], answer.dzbar[0]];
    layers = outer && !outer.error && [...derivatives(inner), ...derivatives(outer)].every(finite) ? [derivatives(inner), derivatives(outer)] : null;
  };

  figure.draw = () => {
    if (!layers) return figure.say("One of the two layers has no derivative here.");
    const start = around(96, turnOf), through = start.map((g) => backwards(...layers[1], g)), out = through.map((g) => backwards(...layers[0], g));
    const arrows = [turnOf(turn)];
    arrows.unshift(backwards(...layers[1], arrows[0]));
    arrows.unshift(backwards(...layers[0], arrows[0]));
    if (figure.shown) size = 1.25 * Math.max(...out.map(modulus));
    last.half = figure.shown ? round125(Math.max(size, 1e-6)) : 5;
    middle.half = round125(Math.max(1.25 * Math.max(...through.map(modulus)), 1e-6));
    for (const [k, curve] of [out, through, start].entries()) {
      const board = boards[k + 1];
      board.clear();
      board.below.textContent = ["g_z", "g_w", "g_v"][k] + (figure.shown || k === 2 ? " = " + complex(arrows[k], 3) : " = ?");
      if (!figure.shown && k < 2) continue;
      board.path(curve, "line text", true);
      board.arrow([0, 0], arrows[k], "along");
      if (k < 2) board.dot(curve[0], "soft", 3);
    }
    place.clear();
    if (!figure.shown) place.dot(z, "z", 3);
    figure.values = { g: arrows, layers };
    const [[a, b], [c, d]] = layers, axes = (p, q) => `${real(modulus(p) + modulus(q), 3)} and ${real(Math.abs(modulus(p) - modulus(q)), 3)}`;
    figure.say(figure.shown ? `At z = ${complex(z, 3)}: second layer a = ${complex(c, 3)}, b = ${complex(d, 3)}; first layer a = ${complex(a, 3)}, b = ${complex(b, 3)}. Half-axes of g_w: ${axes(c, d)}.` : "");
    for (const [k, board] of boards.slice(1).entries()) board.describe(figure.shown ? `${["g_z", "g_w", "g_v"][k]} runs along an ellipse and is ${complex(arrows[k], 3)}` : "a gradient to be found");
  };
}, true);
