"use strict";
// What is typed, dragged and shown. The state is the address: a link shows what was seen.

const VIEWS = [0.5, 1, 2, 3, 5, 10, 20];  // half of the width of the plane of z
const byId = (id) => document.getElementById(id);
const state = { f: "abs(z)^2 * exp(i*angle(z))", at: [1, 2], radius: 0.5, rate: -1.3, turn: 30, view: 3, theme: "" };
const from = new Plane(byId("from")), to = new Plane(byId("to"));
const handle = element("g", { id: "handle", tabindex: 0, role: "slider", "aria-label": "z, moved with the arrow keys", "aria-valuemin": -100,
  "aria-valuemax": 100 }, byId("from"));
element("circle", { class: "reach", r: 9 }, handle);
element("circle", { class: "dot z", r: 2.6 }, handle);
let ask = null, reply = null, busy = false, stale = false, idle = 0, turning = 0;
const timings = [];  // from a change of the state to the new picture [ms]

// ---------------------------------------------------------------- address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("f")) state.f = given.get("f");
  const at = (given.get("z") || "").split(",").map(Number);
  if (at.length === 2 && at.every(Number.isFinite)) state.at = at;
  for (const key of ["radius", "rate", "turn", "view"]) {
    const value = Number(given.get(key));
    if (given.has(key) && Number.isFinite(value)) state[key] = Math.min(Number(byId(key).max), Math.max(Number(byId(key).min), value));
  }
  if (["dark", "light"].includes(given.get("theme"))) state.theme = given.get("theme");
}

function writeAddress() {
  const address = new URLSearchParams({ f: state.f, z: state.at.map((x) => Number(x.toPrecision(6))).join(","), radius: state.radius,
    rate: state.rate, turn: state.turn, view: state.view });
  if (state.theme) address.set("theme", state.theme);
  try {
    history.replaceState(null, "", "#" + address);
  } catch {
    // Some browsers keep the address of a file as it is.
  }
}

// ---------------------------------------------------------------- pictures

function drawFrom() {
  from.half = VIEWS[state.view];
  from.centre = [0, 0];
  from.clear();
  const z = state.at, r = state.radius;
  from.path(Array.from({ length: 97 }, (_, k) => add(z, scaled(turnOf((k * Math.PI) / 48), r))), "circle");
  from.arrow(z, add(z, scaled(turnOf((state.turn * Math.PI) / 180), r)), "step");
  if (reply && reply.descent) {
    for (const [walk, classes] of [["conjugate", "against"], ["gradient", "along"]]) {
      from.path(reply.descent[walk].path, "walk " + classes);
      for (const point of reply.descent[walk].path.slice(1, 12)) from.dot(point, classes, 1.1);
    }
  }
  handle.setAttribute("transform", `translate(${from.x(z)} ${from.y(z)})`);
  handle.setAttribute("aria-valuenow", real(z[0], 4));
  handle.setAttribute("aria-valuetext", complex(z, 4));
}

function drawTo() {
  if (!reply || !finite(reply.value) || !finite(reply.dz.tape) || !finite(reply.dzbar.tape)) return to.clear();
  const w = reply.value, a = reply.dz.tape, b = reply.dzbar.tape, r = state.radius, largest = r * (modulus(a) + modulus(b));
  to.centre = w;
  to.half = round125(Math.max(1.25 * largest, 1e-9 + 1e-6 * modulus(w)));
  to.clear();
  const step = (t) => [scaled(times(a, turnOf(t)), r), scaled(times(b, turnOf(-t)), r)];
  const turn = (state.turn * Math.PI) / 180, [first, second] = step(turn);
  to.path(reply.circle, "image", true);
  to.path(Array.from({ length: 96 }, (_, k) => step((k * Math.PI) / 48)).map(([u, v]) => add(w, add(u, v))), "linear", true);
  // The arrows are parallel half way between the angles of a and b.
  const parallel = (Math.atan2(b[1], b[0]) - Math.atan2(a[1], a[0])) / 2;
  for (const t of [parallel, parallel + Math.PI / 2]) {
    const [u, v] = step(t);
    to.path([add(w, scaled(add(u, v), -1)), add(w, add(u, v))], "half-axis");
  }
  to.arrow(w, add(w, first), "a");
  to.arrow(add(w, first), add(w, add(first, second)), "b");
  to.dot(w, "z", 1.8);
  to.dot(add(w, add(first, second)), "z", 1.8);
}

function show() {
  drawFrom();
  drawTo();
  if (!reply) return;
  for (const svg of [byId("from"), byId("to")]) svg.classList.toggle("stale", stale);
  const [longer, shorter] = reply.ellipse.half_axes;
  byId("axes").textContent = `Its half-axes are ${real(longer, 4)} and ${real(shorter, 4)} times the radius.`;
  const last = (walk) => reply.descent[walk].loss.at(-1);
  byId("walks").textContent = `L is ${real(reply.value[0], 4)} here; forty steps of ${real(10 ** state.rate, 3)} lead to ${real(last("gradient"), 4)} and ${real(last("conjugate"), 4)}.`;
  showNumbers(reply);
  showConventions(reply);
  showTape(reply);
  showAnswers(reply);
  byId("summary").textContent = summaryOf(reply, state);
  byId("command").textContent = `argand lab "${state.f}" --at="${complex(state.at, 6).replaceAll(" ", "").replace("−", "-")}" --tape`;
}

// ---------------------------------------------------------------- questions to the library

function request(check) {
  const answers = {};
  for (const input of document.querySelectorAll("[data-asked]")) if (input.value.trim()) answers[input.dataset.asked] = input.value;
  return { expression: state.f, at: state.at, radius: state.radius, rate: 10 ** state.rate, check, answers };
}

function told(answer) {
  const fault = byId("fault");
  fault.hidden = !answer.error;
  fault.textContent = answer.error ? answer.error.replace(/^expression: /, "") : "";
  stale = Boolean(answer.error);
  if (!answer.error) reply = answer;
}

/** Asks for what the state is now; while the library is at work, only the newest state waits. */
async function update() {
  const changed = performance.now();
  writeAddress();
  drawFrom();
  clearTimeout(idle);
  if (!ask || busy) return void (busy = busy && "again");
  do {
    busy = true;
    told(await ask(request(false)));
    show();
  } while (busy === "again");
  busy = false;
  timings.push(performance.now() - changed);
  document.documentElement.dataset.shown = timings.length;
  idle = setTimeout(check, 250);
}

/** With numerical derivatives, once the hand rests. */
async function check() {
  if (busy) return;
  busy = true;
  told(await ask(request(true)));
  show();
  document.documentElement.dataset.checked = "1";
  const again = busy === "again";
  busy = false;
  if (again) update();
}

// ---------------------------------------------------------------- hands

function moveTo(z) {
  state.at = z.map((x) => Number(x.toPrecision(5)));
  byId("place").value = complex(state.at, 5).replaceAll(" ", "").replace("−", "-");
  byId("place").setAttribute("aria-invalid", false);
  update();
}

function listen() {
  byId("from").addEventListener("pointerdown", (event) => {
    byId("from").setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    moveTo(from.number(event));
  });
  byId("from").addEventListener("pointermove", (event) => {
    if (event.buttons & 1) moveTo(from.number(event));
  });
  handle.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    moveTo(add(state.at, scaled(way, (event.shiftKey ? 0.1 : 0.02) * from.half)));
  });
  byId("expression").addEventListener("input", () => {
    state.f = byId("expression").value;
    update();
  });
  byId("examples").addEventListener("change", (event) => {
    if (!event.target.value) return;
    state.f = byId("expression").value = event.target.value;
    event.target.value = "";
    for (const input of document.querySelectorAll("[data-asked]")) input.value = "";
    update();
  });
  byId("place").addEventListener("change", () => {
    const z = placeOf(byId("place").value);
    if (z) return moveTo(z);
    byId("place").setAttribute("aria-invalid", true);
    byId("fault").hidden = false;
    byId("fault").textContent = "z is a number such as 1+2i, -0.5 or 3i.";
  });
  for (const key of ["radius", "rate", "turn", "view"])
    byId(key).addEventListener("input", () => {
      state[key] = Number(byId(key).value);
      key === "turn" || key === "view" ? (show(), writeAddress()) : update();
    });
  for (const input of document.querySelectorAll("[data-asked]")) input.addEventListener("input", update);
  byId("play").addEventListener("click", () => {
    turning = turning ? (clearInterval(turning), 0) : setInterval(turnOn, 40);
    byId("play").setAttribute("aria-pressed", turning !== 0);
    byId("play").textContent = turning ? "stop" : "turn";
  });
  byId("theme").addEventListener("click", () => {
    state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    setTheme();
    writeAddress();
  });
  addEventListener("hashchange", () => {
    readAddress();
    fill();
    update();
  });
}

function turnOn() {
  state.turn = (state.turn + 3) % 360;
  byId("turn").value = state.turn;
  drawFrom();
  drawTo();
}

/** "1+2i", "-i", "0.5": what the field for z takes; null for anything else. */
function placeOf(text) {
  if (/[\d.]\s+[\d.]/.test(text)) return null;
  const number = "(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?";
  const parts = text.replaceAll(" ", "").replaceAll("−", "-").match(new RegExp(`^([+-]?${number})?(?:([+-]?)(${number})?([ij]))?$`, "i"));
  if (!parts || !text.trim() || (parts[1] !== undefined && parts[4] !== undefined && !parts[2])) {
    const imaginary = text.trim().match(new RegExp(`^([+-]?${number})[ij]$`, "i"));
    return imaginary ? [0, Number(imaginary[1])] : null;
  }
  const y = parts[4] === undefined ? 0 : (parts[2] === "-" ? -1 : 1) * (parts[3] === undefined ? 1 : Number(parts[3]));
  return [parts[1] === undefined ? 0 : Number(parts[1]), y];
}

function setTheme() {
  const dark = state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function fill() {
  byId("expression").value = state.f;
  byId("place").value = complex(state.at, 5).replaceAll(" ", "").replace("−", "-");
  for (const key of ["radius", "rate", "turn", "view"]) byId(key).value = state[key];
  setTheme();
}

addEventListener("error", () => document.documentElement.dataset.errors++);
addEventListener("unhandledrejection", () => document.documentElement.dataset.errors++);
readAddress();
fill();
listen();
drawFrom();
startEngine().then((engine) => {
  ask = engine;
  return update();
}, (error) => {
  byId("summary").textContent = "This browser does not let the library run: " + error.message + ".";
  document.documentElement.dataset.errors++;
});
