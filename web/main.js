"use strict";
// Draws the page and sends requests to the library.

const from = new Plane(byId("from")), to = new Plane(byId("to"));
let ask = null, reply = null, busy = false, checking = false, stale = false, idle = 0, turning = 0, contours = "", second = null;
let width = 0;  // of a plane [px], from an observer: measuring during a drawing forces a layout of 3 ms
let tapeVisible = true;
const timings = [];  // time from each change of state to the new picture [ms]

const hidden = () => state.exercise.length > 0 && !state.solved;
const rimOf = () => add(state.at, scaled(turnOf((state.turn * Math.PI) / 180), state.radius));
/** The first point of the descent path. */
const firstOf = () => (reply && finite(reply.gradient.tape) ? add(state.at, scaled(reply.gradient.tape, -(10 ** state.rate))) : [NaN, NaN]);

// ---------------------------------------------------------------- pictures

/** Puts a grip over its point; hides it if the point lies outside the picture or too close to z to be told apart. */
function place(grip, z, apart) {
  const x = from.x(z), y = from.y(z), distance = (Math.hypot(x - from.x(state.at), y - from.y(state.at)) * width) / 200;
  grip.hidden = !finite(z) || Math.max(Math.abs(x), Math.abs(y)) > 100 || distance < apart;
  grip.style.left = 50 + x / 2 + "%";
  grip.style.top = 50 + y / 2 + "%";
}

function drawFrom() {
  from.half = VIEWS[state.view];
  from.clear();
  const z = state.at, r = state.radius;
  from.path(Array.from({ length: 97 }, (_, k) => add(z, scaled(turnOf((k * Math.PI) / 48), r))), "circle");
  from.arrow(z, rimOf(), "step");
  if (reply && !hidden()) {
    for (const [walk, classes] of [["conjugate", "against"], ["gradient", "along"]]) {
      from.path(reply.descent[walk].path, "walk " + classes);
      for (const point of reply.descent[walk].path.slice(1, 12)) from.dot(point, classes, 1.1);
    }
  }
  from.dot(z, "z", 2.6);
  const handle = byId("handle");
  place(handle, z, 0);
  place(byId("rim"), rimOf(), 20);
  place(byId("first"), hidden() ? [NaN, NaN] : firstOf(), 20);
  handle.setAttribute("aria-valuenow", Number(z[0].toFixed(6)));
  handle.setAttribute("aria-valuetext", complex(z, 4));
}

function drawTo() {
  if (!reply || !finite(reply.value)) return to.clear();
  const w = reply.value, a = reply.dz.tape, b = reply.dzbar.tape, r = state.radius, linear = !hidden() && !reply.singular;
  const reach = Math.max(0, ...reply.circle.filter(finite).map((v) => modulus(add(v, scaled(w, -1)))).sort((u, v) => u - v).slice(0, 90));
  to.centre = w;
  // Scales the plane to the ellipse, or to the circle's image if that is far larger (when both derivatives are 0, say).
  const ellipse = linear ? r * (modulus(a) + modulus(b)) : 0;
  to.half = round125(Math.max(8 * ellipse > reach ? 1.25 * ellipse : 1.1 * reach, 1e-9 + 1e-6 * modulus(w)));
  to.clear();
  to.path(reply.circle, "image", true);
  to.dot(w, "z", 1.8);
  if (!linear) return;
  const step = (t) => [scaled(times(a, turnOf(t)), r), scaled(times(b, turnOf(-t)), r)];
  const turn = (state.turn * Math.PI) / 180, [first, second] = step(turn);
  to.path(Array.from({ length: 96 }, (_, k) => step((k * Math.PI) / 48)).map(([u, v]) => add(w, add(u, v))), "linear", true);
  // At this angle of the step the two arrows are parallel, so their sum is the longer half-axis.
  const parallel = (Math.atan2(b[1], b[0]) - Math.atan2(a[1], a[0])) / 2;
  for (const t of [parallel, parallel + Math.PI / 2]) {
    const [u, v] = step(t);
    to.path([add(w, scaled(add(u, v), -1)), add(w, add(u, v))], "half-axis");
  }
  to.arrow(w, add(w, first), "a");
  to.arrow(add(w, first), add(w, add(first, second)), "b");
  to.dot(add(w, add(first, second)), "z", 1.8);
}

/** Sends slow requests to a second worker, so that dragging never waits for them. */
const askSlowly = async (request) => (await (second ??= startEngine()))(request);

/** Draws the contours; they depend only on f and the view, so a drag does not request them again. */
async function showContours() {
  const wanted = JSON.stringify([state.f, VIEWS[state.view]]);
  if (contours === wanted || stale) return;
  contours = wanted;
  const answer = await askSlowly({ expression: state.f, landscape: { half: VIEWS[state.view], points: LANDSCAPE } });
  if (contours === wanted && answer.landscape) drawContours(from.ground, answer.landscape);
}

function show(dragged) {
  drawFrom();
  drawTo();
  for (const svg of [byId("from"), byId("to")]) svg.classList.toggle("stale", stale);
  showExercise();
  if (!reply || stale) return;
  showWords(reply, state);
  showNumbers(reply);
  showConventions(reply);
  if (!dragged || tapeVisible) showTape(reply);
}

/** Shows the questions of the exercise, which is solved when every answer is correct. */
function showExercise() {
  const words = { dz: "∂f/∂z", dzbar: "∂f/∂z̄", gradient: "the gradient of L" };
  byId("exercise").hidden = !hidden();
  byId("expression").readOnly = hidden();
  byId("examples").disabled = hidden();
  document.documentElement.dataset.exercise = hidden() ? "open" : "";
  for (const asked of ASKED) answerField(asked).parentElement.hidden = hidden() && !state.exercise.includes(asked);
  if (hidden()) byId("task").textContent = `Find ${state.exercise.map((asked) => words[asked]).join(" and ")} of f(z) = ${state.f}` + (reply && !reply.real && state.exercise.includes("gradient") ? ", where L = Re f." : ".");
}

// ---------------------------------------------------------------- requests to the library

function request(check) {
  const answers = {};
  for (const asked of ASKED) if (answerField(asked).value.trim()) answers[asked] = answerField(asked).value;
  return { expression: state.f, at: state.at, radius: state.radius, rate: 10 ** state.rate, check, answers };
}

function told(answer) {
  stale = Boolean(answer.error);
  byId("expression").setAttribute("aria-invalid", stale);
  fault("fault", stale ? answer.error.replace(/^expression: /, "") : "");
  showAnswers(stale ? [] : answer.answers || []);
  if (stale) {
    byId("summary").textContent = reply ? `This f is not a valid expression. Still shown: ${reply.equation}.` : "Nothing to show: this f is not a valid expression.";
    return;
  }
  reply = answer;
  const right = (asked) => (answer.answers || []).some((one) => one.asked === asked && one.kind === "right");
  if (hidden() && state.exercise.every(right)) state.solved = true;
}

/** Requests the answer for the current state; while the library is busy, only the newest state waits. Numerical derivatives follow
    when a drag pauses, or at once if nothing is being dragged. */
async function update(dragged) {
  const changed = performance.now();
  writeAddress();
  drawFrom();
  clearTimeout(idle);
  if (!ask || busy) return void (busy = busy && "again");
  do {
    busy = true;
    told(await ask(request(false)));
    show(dragged);
  } while (busy === "again");
  busy = false;
  timings.push(performance.now() - changed);
  document.documentElement.dataset.shown = timings.length;
  idle = setTimeout(check, dragged ? 250 : 0);
  showContours();
}

/** Requests numerical derivatives too; they are shown only if the state has not changed in the meantime. */
async function check() {
  if (checking) return void (checking = "again");
  do {
    checking = true;
    const asked = JSON.stringify(request(true)), answer = await askSlowly(JSON.parse(asked));
    if (asked !== JSON.stringify(request(true))) continue;
    told(answer);
    show();
    document.documentElement.dataset.checked = "1";
  } while (checking === "again");
  checking = false;
}

function setTheme() {
  const dark = state.theme ? state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function fill() {
  byId("expression").value = state.f;
  byId("place").value = typed(state.at, 5);
  for (const key of ["radius", "rate", "turn", "view"]) byId(key).value = state[key];
  setTheme();
}

addEventListener("error", () => document.documentElement.dataset.errors++);
addEventListener("unhandledrejection", () => document.documentElement.dataset.errors++);
document.documentElement.dataset.embedded = parent !== window ? "1" : "";
new ResizeObserver(([plane]) => {
  width = plane.contentRect.width;
  drawFrom();
}).observe(byId("from"));
new IntersectionObserver((changes) => {
  tapeVisible = changes.at(-1).isIntersecting;
  if (tapeVisible && reply && !stale) showTape(reply);
}).observe(byId("tape"));
readAddress();
fill();
listen();
showExercise();
startEngine().then((engine) => {
  ask = engine;
  return update();
}, (error) => {
  byId("summary").textContent = "The library does not run in this browser: " + error.message + ".";
  document.documentElement.dataset.errors++;
});
