"use strict";
// The parts that all live figures share. Each figure first asks the reader for a guess, then shows the answer and can be
// manipulated. Without scripts, and on paper, the chapter's still picture appears instead.

const BUILDERS = new Map(), LIVE = new Map();

/** Registers a figure; build(figure) makes its boards and controls. If `library` is set, it can call argand with figure.ask. */
function live(name, build, library = false) {
  BUILDERS.set(name, { build, library });
}

function make(name, attributes, parent, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  if (parent) parent.append(made);
  return made;
}

let starting = null;
/** The library, started once per page when the first figure that needs it comes into view. */
function library(address) {
  starting ??= new Promise((loaded, failed) => document.head.append(Object.assign(document.createElement("script"),
    { src: address, onload: loaded, onerror: () => failed(new Error("cannot load lab-module.js")) }))).then(() => startEngine());
  return starting;
}

/** Resolves once the browser has painted what was drawn. */
const painted = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(0);
}));

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const conjugate = (a) => [a[0], -a[1]];
/** Propagates a step dz forwards through derivatives a and b, a dz + b dz̄, and a gradient g backwards, ā g + b ḡ. */
const forwards = (a, b, dz) => add(times(a, dz), times(b, conjugate(dz)));
const backwards = (a, b, g) => add(times(conjugate(a), g), times(b, conjugate(g)));
const around = (count, f) => Array.from({ length: count }, (_, k) => f((2 * Math.PI * k) / count));

// ---------------------------------------------------------------- boards

/** A handle that moves a point, by dragging or with the arrow keys. */
class Grip {
  constructor(board, { label, at, move, text, kind = "z", step, when = () => true }) {
    Object.assign(this, { board, at, move, text: text ?? ((z) => complex(z, 3)), step, when });
    this.part = make("div", { class: "live-grip " + kind, tabindex: 0, role: "slider", "aria-label": label, "aria-valuenow": 0, "aria-valuemin": -1000, "aria-valuemax": 1000 }, board.box);
    this.part.addEventListener("pointerdown", (event) => this.hold(event));
    this.part.addEventListener("pointermove", (event) => {
      if (this.held) this.to(board.number(event));
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) this.part.addEventListener(kind, () => (this.held = false));
    this.part.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!way) return;
      event.preventDefault();
      const by = [].concat(this.step ?? board.keyStep()), many = event.shiftKey ? 5 : 1;
      this.to(add(this.at(), [way[0] * by[0] * many, way[1] * by.at(-1) * many]), way);
    });
  }
  hold(event) {
    event.preventDefault();
    this.part.setPointerCapture(event.pointerId);
    this.held = true;
    this.part.focus({ preventScroll: true });
  }
  to(z, way) {
    this.move(z, way);
    this.board.figure.update();
  }
  place() {
    const z = this.at(), [x, y] = this.board.share(z);
    this.part.hidden = !this.when() || !finite(z) || x < -0.01 || x > 1.01 || y < -0.01 || y > 1.01;
    this.part.style.left = 100 * x + "%";
    this.part.style.top = 100 * y + "%";
    this.part.setAttribute("aria-valuenow", Number(z[0].toFixed(6)));  // no exponent, because screen readers do not understand one
    this.part.setAttribute("aria-valuetext", this.text(z));
  }
}

/** The common part of planes and charts: a drawing with grips and a line of text below. */
const Board = (Base) => class extends Base {
  constructor(figure, row, label, view, kind) {
    const cell = make("div", { class: "live-cell" }, row), box = make("div", { class: "live-board " + kind }, cell);
    super(element("svg", { viewBox: view, role: "img", "aria-label": label }, box));
    Object.assign(this, { figure, box, grips: [], below: make("p", { class: "live-below" }, cell) });
    // Text has the same size on the screen for boards of any size.
    const width = Number(view.split(" ")[2]);
    new ResizeObserver(() => (box.style.setProperty("--unit", width / Math.max(1, box.clientWidth)), figure.update())).observe(box);
    // Pressing the mouse anywhere on the board moves the nearest grip there, whereas touching the board scrolls the page.
    box.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button !== 0 || event.target.closest(".live-grip")) return;
      const distance = (grip) => {
        const place = grip.part.getBoundingClientRect();
        return Math.hypot(place.x + place.width / 2 - event.clientX, place.y + place.height / 2 - event.clientY);
      };
      const nearest = this.grips.filter((grip) => !grip.part.hidden).sort((one, other) => distance(one) - distance(other))[0];
      if (!nearest) return;
      nearest.hold(event);
      nearest.to(this.number(event));
    });
  }
  grip(options) {
    this.grips.push(new Grip(this, options));
    return this;
  }
  words(text, z, classes = "", { anchor = "middle", dx = 0, dy = 0 } = {}) {
    if (!finite(z)) return;
    const unit = Number(this.box.style.getPropertyValue("--unit")) || 1;
    element("text", { x: this.x(z) + dx * unit, y: this.y(z) + dy * unit, "text-anchor": anchor, class: "words " + classes }, this.layer).textContent = text;
  }
  ring(z, classes = "guess") {
    if (finite(z)) element("circle", { cx: this.x(z), cy: this.y(z), r: 4, class: "ring " + classes }, this.layer);
  }
  describe(text) {
    this.svg.setAttribute("aria-label", text);
  }
};

class LivePlane extends Board(Plane) {
  constructor(figure, row, label, half) {
    super(figure, row, label, "-100 -100 200 200", "plane");
    this.half = half;
  }
  grid() {
    this.density = this.box.clientWidth < 220 ? 2 : 4;
    super.grid();
  }
  share(z) { return [0.5 + this.x(z) / 200, 0.5 + this.y(z) / 200]; }
  keyStep() { return 0.04 * this.half; }
}

/** A chart with axes; `x` and `y` describe them as { from, to, ticks, text(tick), name }. */
class LiveChart extends Board(Plane) {
  constructor(figure, row, label, x, y) {
    super(figure, row, label, "0 0 300 200", "chart");
    Object.assign(this, { across: x, up: y });
    const id = `clip-${figure.name}-${figure.boards.length}`, clip = element("clipPath", { id }, this.svg);
    element("rect", { x: 34, y: 8, width: 258, height: 162 }, clip);
    for (const part of [this.ground, this.layer]) part.setAttribute("clip-path", `url(#${id})`);
    this.frame = element("g", {}, this.svg);
  }
  x(z) { return 34 + (258 * (z[0] - this.across.from)) / (this.across.to - this.across.from); }
  y(z) { return 170 - (162 * (clamp(z[1], -1e4, 1e4) - this.up.from)) / (this.up.to - this.up.from); }
  share(z) { return [this.x(z) / 300, this.y(z) / 200]; }
  number(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (300 * (event.clientX - box.left)) / box.width, y = (200 * (event.clientY - box.top)) / box.height;
    return [this.across.from + ((x - 34) / 258) * (this.across.to - this.across.from), this.up.from + ((170 - y) / 162) * (this.up.to - this.up.from)];
  }
  keyStep() { return [(this.across.to - this.across.from) / 50, (this.up.to - this.up.from) / 50]; }
  grid() {
    this.frame.replaceChildren();
    const tick = (text, at) => (element("text", { class: "tick", ...at }, this.frame).textContent = text);
    for (const at of this.across.ticks) {
      const x = this.x([at, 0]);
      element("line", { x1: x, x2: x, y1: 8, y2: 170, class: "grid" }, this.layer);
      tick(this.across.text?.(at) ?? real(at, 4), { x, y: 183, "text-anchor": "middle" });
    }
    for (const at of this.up.ticks) {
      const y = this.y([0, at]);
      element("line", { x1: 34, x2: 292, y1: y, y2: y, class: "grid" }, this.layer);
      tick(this.up.text?.(at) ?? real(at, 4), { x: 31, y: y + 3, "text-anchor": "end" });
    }
    tick(this.across.name ?? "", { x: 292, y: 197, "text-anchor": "end" });
    tick(this.up.name ?? "", { x: 36, y: 18, "text-anchor": "start" });
  }
}

// ---------------------------------------------------------------- a figure

class LiveFigure {
  constructor(name, root) {
    Object.assign(this, { name, root, shown: false, boards: [], compute: null, draw: () => {}, busy: false, again: false, began: null, ask: null });
    this.question = make("div", { class: "live-ask" }, root);
  }
  row(kind = "") { return make("div", { class: "live-row " + kind }, this.root); }
  /** A container for sliders and fields; unless `always` is "always", it is hidden until the reader has guessed. */
  controls(always = "") { return make("div", { class: "live-controls " + always }, this.root); }
  plane(row, label, half) { return this.#board(new LivePlane(this, row, label, half)); }
  chart(row, label, x, y) { return this.#board(new LiveChart(this, row, label, x, y)); }
  #board(board) {
    this.boards.push(board);
    return board;
  }
  /** A slider, as an object with a `value`; text(value) is shown next to it. */
  slider(row, label, { min, max, step, value, text = (x) => real(x, 4) }) {
    const line = make("label", {}, row, label + " "), input = make("input", { type: "range", min, max, step }, line), shown = make("output", {}, line);
    const slider = {
      get value() { return Number(input.value); },
      set value(to) {
        input.value = to;
        shown.textContent = text(Number(input.value));
        input.setAttribute("aria-valuetext", shown.textContent);
      },
    };
    slider.value = value;
    input.addEventListener("input", () => {
      slider.value = input.value;
      this.update();
    });
    return slider;
  }
  select(row, label, options, changed = () => {}) {
    const input = make("select", {}, make("label", {}, row, label + " "));
    for (const option of options) make("option", {}, input, option);
    input.addEventListener("change", () => (changed(), this.update()));
    return input;
  }
  /** A field for a formula; its `fault(text)` shows an error message below it. */
  field(row, label, value) {
    const input = make("input", { spellcheck: false, autocapitalize: "off", autocomplete: "off", value }, make("label", { class: "formula" }, row, label + " "));
    const said = make("p", { class: "live-fault", role: "alert", hidden: "" }, row);
    input.addEventListener("input", () => this.update());
    return Object.assign(input, { fault: (text) => {
      said.hidden = !text;
      said.textContent = text ? text.replace(/^expression: /, "") : "";
      input.setAttribute("aria-invalid", Boolean(text));
    } });
  }
  /** Describes what the figure shows, in words and numbers. */
  say(text) {
    this.said ??= make("p", { class: "live-said" }, this.root);
    this.said.hidden = !text;
    this.said.textContent = text;
  }

  /** Asks the reader before showing the answer. `answers` become buttons to choose from; without them, the guess is placed on a
      board. check(k) judges answer k (-1 for "just show it") and returns [right (null: no verdict), explanation]. again() sets
      another problem. */
  predict({ ask, answers = [], check, again }) {
    const question = make("p", {}, this.question), row = make("div", { class: "live-answers" }, this.question), verdict = make("output", { class: "live-verdict" }, this.question);
    const show = (k) => {
      if (answers.length) row.querySelectorAll("button")[k]?.setAttribute("aria-pressed", true);
      this.shown = true;
      const [right, words] = check(k);
      verdict.className = "live-verdict " + (right === null ? "" : right ? "right" : "wrong");
      verdict.textContent = (k < 0 || right === null ? "" : right ? "Right. " : "No. ") + words;
      finish();
      this.update();
    };
    const finish = () => {
      this.root.closest("figure").classList.toggle("shown", this.shown);
      for (const button of row.querySelectorAll("button")) button.disabled = this.shown && !button.classList.contains("again");
      for (const button of row.querySelectorAll(".skip")) button.hidden = this.shown;
      for (const button of row.querySelectorAll(".again")) button.hidden = !this.shown;
    };
    const set = () => {
      this.shown = false;
      question.textContent = typeof ask === "function" ? ask() : ask;
      row.replaceChildren();
      for (const [k, answer] of answers.entries()) make("button", { type: "button" }, row, answer).addEventListener("click", () => show(k));
      if (!answers.length) make("button", { type: "button", class: "skip" }, row, "That is my guess").addEventListener("click", () => show(0));
      make("button", { type: "button", class: "skip quiet" }, row, "just show it").addEventListener("click", () => show(-1));
      if (again) make("button", { type: "button", class: "again quiet" }, row, "guess another").addEventListener("click", () => (again(), set(), this.update()));
      verdict.textContent = "";
      finish();
    };
    this.setQuestion = set;
    set();
  }

  /** Called after every change: queries the library if necessary, draws, and measures the time until the result is visible. */
  async update() {
    this.began ??= performance.now();
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.again) {
        this.again = false;
        const start = this.began;
        this.began = null;
        if (this.compute && this.ask) await this.compute();
        if (!this.compute || this.ask) this.draw();
        for (const board of this.boards) for (const grip of board.grips) grip.place();
        performance.measure("live " + this.name, { start, end: await painted() });
        this.root.dataset.drawn = Number(this.root.dataset.drawn || 0) + 1;
      }
    } finally {
      this.busy = false;
    }
  }
}

// ---------------------------------------------------------------- on the page

addEventListener("DOMContentLoaded", () => {
  for (const root of document.querySelectorAll(".live[data-live]")) {
    const name = root.dataset.live, { build, library: asks } = BUILDERS.get(name);
    if (asks && !root.dataset.module) continue;  // the site was built without the lab: keep the picture
    const figure = new LiveFigure(name, root);
    LIVE.set(name, figure);
    const start = () => {
      root.closest("figure").classList.add("alive");
      build(figure);
      figure.update();
    };
    if (!asks) start();
    else {  // the picture stays until the library is there
      const seen = new IntersectionObserver(async (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen.disconnect();
        figure.ask = await library(root.dataset.module).catch(() => null);
        if (figure.ask) start();
      }, { rootMargin: "200px" });
      seen.observe(root.closest("figure"));
    }
  }
});
