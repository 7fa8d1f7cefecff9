"use strict";
// The page's whole state is kept in its address, so that a copied link shows the same picture.

const VIEWS = [0.5, 1, 2, 3, 5, 10, 20];  // choices for half the width of the plane of z
const ASKED = ["dz", "dzbar", "gradient"];
const byId = (id) => document.getElementById(id);
/** `exercise` lists the derivatives that the reader is asked for; they stay hidden until `solved` is set. */
const state = { f: "|z^2 + 1|^2", at: [1, 0.5], radius: 0.5, rate: -1.3, turn: 30, view: 2, theme: "", exercise: [], solved: false };
const answerField = (asked) => byId("answer-" + asked);

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("f")) state.f = given.get("f");
  const at = (given.get("z") || "").split(",").map((part) => (part.trim() ? Number(part) : NaN));
  if (at.length === 2 && at.every(Number.isFinite)) state.at = at;
  else if (given.has("z") && placeOf(given.get("z"))) state.at = placeOf(given.get("z"));
  else if (given.has("z")) fault("place-fault", `The link gives z as "${given.get("z")}". Write a number such as 1,2 or 1+2i.`);
  for (const key of ["radius", "rate", "turn", "view"]) {
    const value = Number(given.get(key));
    if (!given.has(key) || !Number.isFinite(value)) continue;
    byId(key).value = value;  // the slider clamps and rounds to a value that it allows
    state[key] = Number(byId(key).value);
  }
  if (["dark", "light"].includes(given.get("theme"))) state.theme = given.get("theme");
  for (const asked of ASKED) answerField(asked).value = given.get(asked) || "";
  state.exercise = ASKED.filter((asked) => (given.get("exercise") || "").split(",").includes(asked));
  state.solved = false;
}

/** The address of the current state. A link that sets a new exercise leaves out the answers typed so far. */
function addressOf(exercise) {
  const address = new URLSearchParams({ f: state.f, z: state.at.map((x) => Number(x.toPrecision(6))).join(","), radius: state.radius,
    rate: state.rate, turn: state.turn, view: state.view });
  if (state.theme) address.set("theme", state.theme);
  if (exercise.length) address.set("exercise", exercise.join(","));
  if (exercise === state.exercise) for (const asked of ASKED) if (answerField(asked).value.trim()) address.set(asked, answerField(asked).value);
  return "#" + address;
}

function writeAddress() {
  const address = addressOf(state.exercise);
  try {
    history.replaceState(null, "", address);
  } catch {
    // Some browsers do not let a page opened as a file change its address.
  }
  if (parent !== window) parent.postMessage({ lab: address }, "*");  // keeps the book's link to the lab's own page up to date
}

async function copyLink(exercise) {
  const link = location.href.split("#")[0] + addressOf(exercise);
  try {
    await navigator.clipboard.writeText(link);
    byId("copied").textContent = "copied";
  } catch {
    byId("copied").textContent = link;  // without access to the clipboard, shows the link so that it can be copied by hand
  }
  setTimeout(() => (byId("copied").textContent = byId("copied").textContent === "copied" ? "" : byId("copied").textContent), 2000);
}

/** Shows an error message next to a field; an empty text hides it. */
function fault(id, text) {
  byId(id).hidden = !text;
  byId(id).textContent = text || "";
}

/** Parses the text of the field for z, such as "1+2i", "-i" or "0.5"; null if it is invalid. */
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
