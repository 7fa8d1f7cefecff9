"use strict";
// Input by mouse, touch and keyboard.

function moveTo(z) {
  state.at = z.map((x) => Number(x.toPrecision(5)));
  byId("place").value = typed(state.at, 5);
  byId("place").setAttribute("aria-invalid", false);
  fault("place-fault", "");
  update("dragged");
}

/** Handles dragging the tip of the step, which sets its length and direction. */
function moveRim(z) {
  const step = add(z, scaled(state.at, -1)), snapped = Math.round(modulus(step) / 0.02) * 0.02;
  state.radius = Math.min(1, Math.max(0.02, Number(snapped.toFixed(2))));
  state.turn = (Math.round((Math.atan2(step[1], step[0]) * 180) / Math.PI) + 360) % 360;
  byId("radius").value = state.radius;
  byId("turn").value = state.turn;
  update("dragged");
}

/** Handles dragging the first point of the walk, which lies along -g: sets the learning rate that brings it closest. */
function moveFirst(z) {
  const g = reply.gradient.tape, step = add(z, scaled(state.at, -1));
  const rate = -(step[0] * g[0] + step[1] * g[1]) / (g[0] * g[0] + g[1] * g[1]);
  if (!(rate > 0)) return;
  state.rate = Math.min(0, Math.max(-3, Math.round(Math.log10(rate) / 0.05) * 0.05));
  byId("rate").value = state.rate;
  update("dragged");
}

function dragging(target, move) {
  target.addEventListener("pointermove", (event) => {
    if (event.buttons & 1 && target.dataset.held) move(from.number(event));
  });
  for (const kind of ["pointerup", "pointercancel"]) target.addEventListener(kind, () => delete target.dataset.held);
}

function hold(target, event) {
  target.setPointerCapture(event.pointerId);
  target.dataset.held = "1";
  byId("handle").focus({ preventScroll: true });
}

function listenToPlane() {
  const plane = byId("from");
  for (const [id, move] of [["handle", moveTo], ["rim", moveRim], ["first", moveFirst]]) {
    byId(id).addEventListener("pointerdown", (event) => hold(byId(id), event));
    dragging(byId(id), move);
  }
  // On the plane itself a finger scrolls the page, or moves z with a tap; pressing the mouse moves z at once and starts a drag.
  plane.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") return;
    hold(plane, event);
    moveTo(from.number(event));
  });
  dragging(plane, moveTo);
  plane.addEventListener("click", (event) => {
    if (event.pointerType === "touch") moveTo(from.number(event));
  });
  byId("handle").addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    moveTo(add(state.at, scaled(way, (event.shiftKey ? 0.1 : 0.02) * from.half)));
  });
  addEventListener("resize", drawFrom);
}

function listen() {
  listenToPlane();
  byId("expression").addEventListener("input", () => {
    state.f = byId("expression").value;
    update();
  });
  byId("examples").addEventListener("change", (event) => {
    if (!event.target.value) return;
    state.f = byId("expression").value = event.target.value;
    event.target.value = "";
    state.exercise = [];
    for (const asked of ASKED) answerField(asked).value = "";
    update();
  });
  byId("place").addEventListener("change", () => {
    const z = placeOf(byId("place").value);
    if (z) {
      moveTo(z);
      return update();
    }
    byId("place").setAttribute("aria-invalid", true);
    fault("place-fault", "z is a number such as 1+2i, -0.5 or 3i.");
  });
  for (const key of ["radius", "rate", "turn", "view"])
    byId(key).addEventListener("input", () => {
      state[key] = Number(byId(key).value);
      if (key === "view") from.ground.replaceChildren();
      update("dragged");
    });
  for (const asked of ASKED) answerField(asked).addEventListener("input", () => update());
  byId("play").addEventListener("click", () => {
    turning = turning ? (clearInterval(turning), 0) : setInterval(turnOn, 40);
    byId("play").setAttribute("aria-pressed", turning !== 0);
    byId("play").textContent = turning ? "stop" : "turn";
  });
  byId("copy").addEventListener("click", () => copyLink(state.exercise));
  byId("set").addEventListener("click", () => copyLink([...ASKED]));
  byId("solve").addEventListener("click", () => {
    state.solved = true;
    show();
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
