"use strict";
// The tables and sentences that describe an answer of the lab.

function row(table, heading, ...cells) {
  const line = table.insertRow();
  if (heading !== null) {
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = heading;
    line.append(name);
  }
  for (const cell of cells) {
    const td = line.insertCell();
    for (const [k, part] of [].concat(cell).entries()) {
      if (k === 0 || part instanceof Node) td.append(part);
      else td.append(Object.assign(document.createElement("small"), { textContent: part }));
    }
  }
  return line;
}

/** Says what the two derivatives are at this point, and what is known about the points around it. */
function kindOf(reply) {
  const z = reply.variable, bar = `∂f/∂${z}̄`, plain = `∂f/∂${z}`;
  const beside = ({ at, value }, name) => `at ${z} = ${complex(at, 3)}, ${name} = ${complex(value, 3)}`;
  const { dz, dzbar } = reply.nearby;
  if (reply.cauchy_riemann === "general") return `General: f depends on ${z} and on ${z}̄.`;
  if (reply.cauchy_riemann === "real-valued") return "f is real: b is the conjugate of a, and the ellipse is flat.";
  if (reply.cauchy_riemann === "antiholomorphic") {
    if (dz.zeros === dz.points) return `${plain} = 0 here and at ${dz.points} points around: antiholomorphic, as far as these points show. The circle is traversed backwards.`;
    return `${plain} = 0 at this point, but not around it (${beside(dz, plain)}): f is not antiholomorphic.`;
  }
  if (reply.cauchy_riemann !== "holomorphic") return "The differences cannot decide which case this is.";
  if (reply.holomorphic_ops) return `Holomorphic here and around: ${bar} = 0, and every op on the tape is holomorphic.` + (modulus(reply.dz.tape) ? " The ellipse is a circle." : "");
  if (dzbar.zeros === dzbar.points) return `${bar} = 0 here and at ${dzbar.points} points around. Not every op on the tape is holomorphic, so this is no proof that f is, but it looks holomorphic.`;
  const both = modulus(reply.dz.tape) === 0 ? `Both derivatives are 0 at this point` : `${bar} = 0 at this point, where f therefore has a complex derivative`;
  return `${both}. That does not make f holomorphic: ${beside(dzbar, bar)}.`;
}

/** The reason why there is no derivative here, in the library's words. */
const reasonOf = (reply) => reply.gaps.join("; ") || reply.trouble || "an op on the tape is singular here";

function showNumbers(reply) {
  const z = reply.variable, body = document.querySelector("#numbers tbody"), singular = reply.singular;
  body.replaceChildren();
  const checked = (figure) => {
    if (reply.gaps.length) return figure.numerical && finite(figure.numerical) && reply.checked
      ? `a convention, no derivative; differences find ${complex(figure.numerical)}, ± ${figure.error.toExponential(0)}` : "a convention, no derivative";
    if (!reply.checked) return "";
    if (figure.verdict === "pass") return "differences agree, ± " + figure.error.toExponential(0);
    return figure.verdict === "fail" ? "differences contradict this" : "differences cannot decide";
  };
  row(body, `f(${z})`, reply.real ? real(reply.value[0]) : complex(reply.value));
  row(body, `a = ∂f/∂${z}`, [complex(reply.dz.tape), checked(reply.dz)]).cells[1].className = "a";
  row(body, `b = ∂f/∂${z}̄`, [complex(reply.dzbar.tape), checked(reply.dzbar)]).cells[1].className = "b";
  row(body, "half-axes |a| + |b|, ||a| − |b||", singular ? "–" : reply.ellipse.half_axes.map((x) => real(x)).join(", "));
  row(body, "det J = |a|² − |b|²", singular ? "–" : real(reply.ellipse.determinant));
  const verdict = document.getElementById("verdict");
  if (singular) verdict.textContent = `There is no derivative to judge: ${reasonOf(reply)}.`;
  else if (!reply.checked) verdict.textContent = "Checking with differences …";
  else if (reply.trouble) verdict.textContent = `The differences cannot decide: ${reply.trouble}.`;
  else verdict.textContent = kindOf(reply);
}

function showConventions(reply) {
  const body = document.querySelector("#conventions tbody");
  body.replaceChildren();
  for (const { framework, call, value } of reply.conventions) row(body, framework || "JAX, too", [complex(value), call]);
  const alone = reply.conventions.length === 1 ? " At such a point frameworks choose freely; others need not return this." : "";
  document.getElementById("loss").textContent = (reply.real ? "L = f." : "f is complex, and only a real L has a gradient: L = Re f.") + alone;
}

function showTape(reply) {
  const body = document.querySelector("#tape tbody");
  body.replaceChildren();
  const text = (step, z) => (step.complex ? complex(z) : real(z[0]));
  for (const step of reply.tape) {
    const shares = step.shares.map((s) => `g_${s.to} ${s.first ? "=" : "+="} ${text(s, s.added)}` + (s.first ? "" : `, in all ${text(s, s.total)}`));
    row(body, null, [`${step.name} = ${step.call}`, step.vjp], text(step, step.value), step.reached ? `g_${step.name} = ${text(step, step.cotangent)}` : "–",
      shares.map((share) => Object.assign(document.createElement("div"), { textContent: share })));
  }
  if (reply.tape.length === 0) row(body, null, "The tape is empty: f does not depend on its variable.", "", "", "");
}

/** Shows a verdict next to each answer, or an error message if it cannot be read; clears earlier messages. */
function showAnswers(answers) {
  for (const input of document.querySelectorAll("[data-asked]")) {
    const output = document.querySelector(`output[for=${input.id}]`);
    const answer = answers.find((one) => one.asked === input.dataset.asked);
    input.setAttribute("aria-invalid", Boolean(answer && answer.error));
    output.textContent = !answer ? "" : answer.error ? answer.error.replace(/^expression: /, "") : answer.verdict;
    output.className = !answer ? "" : answer.error ? "unread" : answer.kind === "right" ? "right" : "wrong";
  }
}

// ---------------------------------------------------------------- sentences

/** Describes the pictures in one or two sentences. */
function summaryOf(reply, state) {
  const [longer, shorter] = reply.ellipse.half_axes;
  const at = `At ${reply.variable} = ${complex(state.at, 4)}, f = ${reply.real ? real(reply.value[0], 4) : complex(reply.value, 4)}.`;
  if (state.exercise.length && !state.solved) return at;
  if (reply.singular) return `${at} f has no derivative here: ${reasonOf(reply)}. So there is no ellipse; the dotted curve is the image of the circle under f.`;
  if (longer === null || shorter === null) return at + " There is no derivative.";
  const shape = shorter <= 1e-12 * longer ? (longer === 0 ? "a point, because both derivatives are 0" : `a segment of half-length ${real(longer, 4)}`)
    : longer - shorter <= 1e-12 * longer ? `a circle of radius ${real(longer, 4)}` : `an ellipse with half-axes ${real(longer, 4)} and ${real(shorter, 4)}`;
  const sense = reply.ellipse.determinant < -1e-12 * longer * longer ? ", traversed backwards" : "";
  return `${at} To first order a circle of radius 1 becomes ${shape}${sense}. The gradient of L is g = ${complex(reply.gradient.tape, 4)}.`;
}

/** Says where the two walks lead. This shows which sign of the imaginary part goes downhill for a real f, nothing for a complex
   one. */
function walksOf(reply, state) {
  const here = reply.value[0], rate = 10 ** state.rate, g = reply.gradient.tape, square = g[0] * g[0] - g[1] * g[1], size = g[0] * g[0] + g[1] * g[1];
  if (reply.singular) return "There is no gradient here, so their first steps follow a convention.";
  if (size === 0) return "The gradient is 0 here, and neither walk moves.";
  const end = (walk) => ({ far: "diverges beyond |z| = 10⁶", "not finite": "ends where f is not finite" })[reply.descent[walk].end]
    || `leads to ${real(reply.descent[walk].loss.at(-1), 3)}`;
  const fate = `L is ${real(here, 4)} here. Forty steps of ${real(rate, 3)}: the first ${end("gradient")}, the second ${end("conjugate")}.`;
  const slope = ` To first order a step along −g changes L by ${real(-rate * size, 3)}, one along the conjugate by ${real(-rate * square, 3)}.`;
  const last = (walk) => (reply.descent[walk].end ? Infinity : reply.descent[walk].loss.at(-1));
  if (!reply.real) return `${fate} f is complex and L = Re f, which need not have a minimum; where a walk ends proves nothing.${slope}`;
  if (last("gradient") > here) return `${fate} The steps are too long: even the walk along −g climbs. Lower the learning rate.`;
  if (last("conjugate") < last("gradient") - 1e-12 * Math.abs(here)) return `${fate} That the second ends lower is luck.${slope}`;
  return fate + slope;
}

function showWords(reply, state) {
  const [longer, shorter] = reply.ellipse.half_axes, set = (id, text) => (document.getElementById(id).textContent = text);
  set("axes", reply.singular ? "There is none here." : `Its half-axes are ${real(longer, 4)} and ${real(shorter, 4)} times the radius.`);
  set("walks", walksOf(reply, state));
  set("summary", summaryOf(reply, state));
  set("command", `argand lab "${state.f}" --at="${typed(state.at, 6)}" --tape`);
}
