"use strict";
// Numbers and tables, as text.

/** 1.5, -0.25, 1.2e-7; "infinite" where the library sends null. */
function real(x, digits = 6) {
  if (x === null || !Number.isFinite(x)) return "∞ or NaN";
  const text = Number(x.toPrecision(digits));
  return Object.is(text, -0) ? "0" : String(text);
}

/** "1 + 2i". Parts that are rounding beside the other are 0. */
function complex(z, digits = 6) {
  if (!finite(z)) return "not finite";
  const larger = Math.max(Math.abs(z[0]), Math.abs(z[1]));
  const [x, y] = z.map((part) => (Math.abs(part) < larger * 1e-13 ? 0 : part));
  return `${real(x, digits)} ${y < 0 ? "−" : "+"} ${real(Math.abs(y), digits)}i`;
}

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

const KINDS = {
  holomorphic: "holomorphic here: b = 0, and the ellipse is a circle",
  antiholomorphic: "antiholomorphic here: a = 0, and the circle is run through backwards",
  "real-valued": "real: b is the conjugate of a, and the ellipse is flat",
  general: "general: it depends on z and on z̄",
};

function showNumbers(reply) {
  const z = reply.variable, body = document.querySelector("#numbers tbody");
  body.replaceChildren();
  const checked = (figure) => {
    if (!reply.checked) return "";
    if (figure.verdict === "pass") return "differences agree, ± " + figure.error.toExponential(0);
    return figure.verdict === "fail" ? "differences contradict this" : "not decided by differences";
  };
  row(body, `f(${z})`, reply.real ? real(reply.value[0]) : complex(reply.value));
  row(body, `a = ∂f/∂${z}`, [complex(reply.dz.tape), checked(reply.dz)]).cells[1].className = "a";
  row(body, `b = ∂f/∂${z}̄`, [complex(reply.dzbar.tape), checked(reply.dzbar)]).cells[1].className = "b";
  row(body, "half-axes |a| + |b|, ||a| − |b||", reply.ellipse.half_axes.map((x) => real(x)).join(", "));
  row(body, "det J = |a|² − |b|²", real(reply.ellipse.determinant));
  const kind = KINDS[reply.cauchy_riemann];
  const verdict = document.getElementById("verdict");
  if (!reply.checked) verdict.textContent = "Checking with differences …";
  else if (reply.trouble) verdict.textContent = "No derivative to check: " + reply.trouble + ".";
  else verdict.textContent = kind ? `f is ${kind}.` : "The differences do not decide what f is here.";
}

function showConventions(reply) {
  const body = document.querySelector("#conventions tbody");
  body.replaceChildren();
  for (const { framework, call, value } of reply.conventions) row(body, framework || "JAX, too", [complex(value), call]);
  const alone = reply.conventions.length === 1 ? " At such a point frameworks choose freely; others need not return this." : "";
  document.getElementById("loss").textContent = (reply.real ? "L = f." : "f is complex, so the loss is L = Re f.") + alone;
}

function showTape(reply) {
  const body = document.querySelector("#tape tbody");
  body.replaceChildren();
  const text = (step, z) => (step.complex ? complex(z) : real(z[0]));
  for (const step of reply.tape) {
    const shares = step.shares.map((s) => `d${s.to} ${s.first ? "=" : "+="} ${text(s, s.added)}` + (s.first ? "" : `, in all ${text(s, s.total)}`));
    row(body, null, [`${step.name} = ${step.call}`, step.vjp], text(step, step.value), step.reached ? `d${step.name} = ${text(step, step.cotangent)}` : "–",
      shares.map((share) => Object.assign(document.createElement("div"), { textContent: share })));
  }
  if (reply.tape.length === 0) row(body, null, "Nothing is on the tape: f does not depend on its variable.", "", "", "");
}

function showAnswers(reply) {
  for (const input of document.querySelectorAll("[data-asked]")) {
    const output = document.querySelector(`output[for=${input.id}]`);
    const answer = (reply.answers || []).find((one) => one.asked === input.dataset.asked);
    output.textContent = answer ? answer.verdict : "";
    output.className = answer ? (answer.kind === "right" ? "right" : "wrong") : "";
  }
}

/** What the pictures show, in a sentence or two. */
function summaryOf(reply, state) {
  const [longer, shorter] = reply.ellipse.half_axes;
  const at = `At ${reply.variable} = ${complex(state.at, 4)}, f = ${reply.real ? real(reply.value[0], 4) : complex(reply.value, 4)}.`;
  if (longer === null || shorter === null) return at + " There is no derivative.";
  const shape = shorter <= 1e-12 * longer ? (longer === 0 ? "a point" : `a segment of half-length ${real(longer, 4)}`)
    : longer - shorter <= 1e-12 * longer ? `a circle of radius ${real(longer, 4)}` : `an ellipse with half-axes ${real(longer, 4)} and ${real(shorter, 4)}`;
  const sense = reply.ellipse.determinant < -1e-12 * longer * longer ? ", run through backwards" : "";
  return `${at} A small circle of radius 1 becomes ${shape}${sense}. The gradient of L is ${complex(reply.gradient.tape, 4)}.`;
}
