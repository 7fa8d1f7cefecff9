"use strict";
// Trains the models, shows their attention, and lets the reader rotate a head by hand.

const byId = (id) => document.getElementById(id);
const JUDGED = { texts: 16, words: 60, temperature: 0.5 };  // about 120 sentences in total
const EVERY = 50;  // steps between evaluations of the sentences
let ask = null, models = [], training = false, looking = false, lookAgain = false, seen = [null, null];

// ---------------------------------------------------------------- charts

class Chart {
  constructor(id, { from, to, text = String, ticks, bottom }) {
    Object.assign(this, { svg: byId(id), from, to, text, ticks, bottom });
  }
  draw(across, curves, bound, end) {
    const x = (v) => 34 + (258 * v) / across, y = (v) => 165 - (155 * (Math.min(this.to, Math.max(this.from, v)) - this.from)) / (this.to - this.from);
    this.svg.replaceChildren();
    const tick = (at, words) => (element("text", { class: "tick", ...at }, this.svg).textContent = words);
    for (const t of this.ticks) {
      element("line", { x1: 34, x2: 292, y1: y(t), y2: y(t), class: "grid" }, this.svg);
      tick({ x: 30, y: y(t) + 3, "text-anchor": "end" }, this.text(t));
    }
    const step = round125(across / 5);
    for (let t = 0; t <= across; t += step) tick({ x: x(t), y: 176, "text-anchor": "middle" }, String(Math.round(t)));
    tick({ x: 292, y: 188, "text-anchor": "end" }, this.bottom);
    if (bound !== null) element("line", { x1: 34, x2: 292, y1: y(bound), y2: y(bound), class: "bound" }, this.svg);
    for (const [k, points] of curves.entries())
      if (points.length) element("path", { class: "curve " + "ab"[k], d: "M" + points.map(([u, v]) => `${x(u).toFixed(1)} ${y(v).toFixed(1)}`).join("L") }, this.svg);
    this.svg.setAttribute("aria-label", end);
  }
}
const losses = new Chart("losses", { from: 1.5, to: 5.5, ticks: [2, 3, 4, 5], bottom: "steps" });
const shares = new Chart("shares", { from: 0, to: 100, ticks: [0, 20, 40, 60, 80, 100], text: (x) => x + " %", bottom: "seconds" });

function drawCharts() {
  const all = models.map((one) => one.losses), last = (one) => one.shares.at(-1)?.[1] ?? 0;
  losses.draw(Math.max(50, ...models.map((one) => one.steps)), all.map((one) => one.map((loss, k) => [k + 1, loss])), models[0]?.entropy ?? null,
    "Loss over steps: " + models.map((one) => `${one.name} ${one.losses.length ? real(one.losses.at(-1), 3) : "not trained"}`).join(", "));
  shares.draw(Math.max(20, ...models.map((one) => one.seconds)), models.map((one) => one.shares), 80,
    "Correct sentences: " + models.map((one) => `${one.name} ${Math.round(last(one))} %`).join(", "));
}

function drawSentences(k) {
  byId("sentences-" + k).replaceChildren(...models[k].sentences.slice(0, 7).map(({ text, wrong }) => {
    const line = Object.assign(document.createElement("li"), { textContent: text + " ", className: wrong ? "wrong" : "right" });
    if (wrong) line.append(Object.assign(document.createElement("small"), { textContent: wrong }));
    return line;
  }));
}

// ---------------------------------------------------------------- training

/** Returns the answer to a request. An error is shown on the page and thrown. */
async function asked(request, fault = "fault") {
  const reply = await ask(request);
  byId(fault).hidden = !reply.error;
  byId(fault).textContent = reply.error ?? "";
  if (reply.error) throw new Error(reply.error);
  return reply;
}

async function begin(request, name) {
  return { ...await asked(request), name, losses: [], shares: [], sentences: [], seconds: 0 };
}

async function judge(k, turn = []) {
  const { sentences, right } = await asked({ write: models[k].model, ...JUDGED, seed: models[k].step, turn });
  return { sentences, share: sentences.length ? (100 * right) / sentences.length : 0 };
}

/** Trains model k for about a tenth of a second, at most `most` steps, so that other requests to the library do not have to wait
   longer. */
async function some(k, most) {
  const one = models[k], began = performance.now();
  const reply = await asked({ step: one.model, count: Math.min(one.chunk ?? 1, most) });
  const took = performance.now() - began;
  one.seconds += took / 1000;
  one.losses.push(...reply.losses);
  one.step = reply.step;
  one.chunk = Math.max(1, Math.round((100 * reply.losses.length) / took));
}

async function train() {
  if (training) return void (training = false);
  if (!models[0]?.losses.length || models[0].step >= models[0].steps) {
    await asked({ forget: true });
    const wanted = byId("beside").checked ? FAMILIES : FAMILIES.slice(0, 1);
    models = [];
    for (const [name, settings] of wanted) models.push(await begin({ begin: { ...RECIPE, ...settings } }, name));
    showMaps();
  }
  training = true;
  say();
  while (training && models.some((one) => one.step < one.steps)) {
    for (const [k, one] of models.entries()) {
      const until = Math.min(one.steps, (Math.floor(one.step / EVERY) + 1) * EVERY);
      while (training && one.step < until) {
        await some(k, until - one.step);
        drawCharts();
        say();
      }
      if (one.step < until) continue;
      const { sentences, share } = await judge(k);
      Object.assign(one, { sentences });
      one.shares.push([one.seconds, share]);
      drawCharts();
      drawSentences(k);
    }
    await look();
  }
  training = false;
  say();
  document.documentElement.dataset.trained = models[0].step;
}

function say() {
  const done = models[0]?.step >= models[0]?.steps;
  byId("train").textContent = training ? "stop" : models[0]?.losses.length && !done ? "continue" : byId("beside").checked ? "train both from scratch" : "train it from scratch";
  byId("beside").disabled = training || (models[0]?.losses.length > 0 && !done);
  byId("save").disabled = !models.length;
  byId("summary").textContent = models.map((one) => {
    const share = one.shares.at(-1)?.[1], loss = one.losses.at(-1);
    return `${one.name}, ${one.parameters.toLocaleString("en")} parameters: step ${one.step} of ${one.steps}${one.seconds ? `, ${real(one.seconds, 3)} s` : ""}`
      + `${loss ? `, loss ${real(loss, 3)}` : ""}${share === undefined ? "" : `, ${Math.round(share)} % of its sentences correct`}.`;
  }).join(" ");
}

// ---------------------------------------------------------------- attention

const plane = new Plane(byId("phases"));
const turns = () => (Number(byId("turn").value) ? [[Number(byId("layer").value), Number(byId("head").value), (Number(byId("turn").value) * Math.PI) / 180]] : []);

/** Requests the models' outputs for the text and draws them; while the library is busy, only the newest request waits. */
async function look() {
  lookAgain = true;
  if (looking) return;
  looking = true;
  try {
    while (lookAgain) {
      lookAgain = false;
      for (const [k, one] of models.entries()) seen[k] = await asked({ watch: one.model, text: byId("text").value, turn: k ? [] : turns() }, "text-fault");
      seen.length = models.length;
      draw();
    }
  } catch {
    // the message is shown below the text
  } finally {
    looking = false;
  }
}

function options(id, words) {
  const select = byId(id), before = select.value;
  if (select.options.length === words.length && [...select.options].every((one, k) => one.textContent === words[k])) return;
  select.replaceChildren(...words.map((word, k) => Object.assign(document.createElement("option"), { value: k, textContent: word })));
  select.value = before && before < words.length ? before : words.length - 1;
}

function drawMap(k, layer, head, query) {
  const svg = byId("map-" + k), { words, layers } = seen[k], n = words.length, cell = 10, left = 34, size = Math.min(4.6, 0.62 * cell);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${left + n * cell + 2} ${n * cell + 36}`);
  const rows = layers[layer].weights;
  let most = "";
  for (let m = 0; m < n; ++m) {
    element("text", { x: left - 2, y: m * cell + 6.6, "text-anchor": "end", "font-size": size }, svg).textContent = words[m];
    element("text", { x: left + m * cell + 6.6, y: n * cell + 3, "text-anchor": "end", "font-size": size, transform: `rotate(-90 ${left + m * cell + 6.6} ${n * cell + 3})` }, svg).textContent = words[m];
    for (let i = 0; i <= m; ++i) {
      element("rect", { x: left + i * cell, y: m * cell, width: cell, height: cell, class: "cell", opacity: rows[m][head][i].toFixed(3) }, svg);
      element("rect", { x: left + i * cell, y: m * cell, width: cell, height: cell, class: "frame" }, svg);
    }
    if (m === query) most = words[rows[m][head].slice(0, m + 1).reduce((best, w, i, all) => (w > all[best] ? i : best), 0)];
  }
  element("rect", { x: left, y: query * cell, width: (query + 1) * cell, height: cell, class: "chosen" }, svg);
  svg.setAttribute("aria-label", `Attention of ${models[k].name}, layer ${layer + 1}, head ${head + 1}: ${words[query]} attends most to ${most}`);
}

/** λ e^{i (δ θ + b + t ω)} for a query or key λ e^{iθ} at position t. A score is the sum over pairs of Re(query · conj(key)). */
function phasor(z, delta, bias, t, omega) {
  return scaled(turnOf(delta * Math.atan2(z[1], z[0]) + bias + t * omega), modulus(z));
}

function draw() {
  const { words, layers, next } = seen[0], one = models[0], n = words.length;
  options("layer", layers.map((_, k) => String(k + 1)));
  options("head", Array.from({ length: one.heads }, (_, k) => String(k + 1)));
  options("pair", one.frequencies.map((omega, k) => `${k + 1}, rotating by ${real((180 * omega) / Math.PI, 2)}° per word`));
  options("query", words);
  const [layer, head, pair, query] = ["layer", "head", "pair", "query"].map((id) => Number(byId(id).value));
  for (const k of models.keys()) drawMap(k, Math.min(layer, seen[k].layers.length - 1), head, query);
  const { q, k, delta, bias, weights } = layers[layer], scale = delta?.[head][pair] ?? 1, shift = bias?.[head][pair] ?? 0;
  const asks = phasor(q[query][head][pair], scale, shift, query, one.frequencies[pair]);
  const keys = words.slice(0, query + 1).map((_, t) => phasor(k[t][head][pair], scale, 0, t, one.frequencies[pair]));
  plane.half = round125(Math.max(1e-3, modulus(asks), ...keys.map(modulus)) * 1.1);
  plane.clear();
  for (const [t, key] of keys.entries()) {
    plane.arrow([0, 0], key, "key");
    element("text", { x: plane.x(key) + 2, y: plane.y(key) - 2, class: "words", opacity: (0.35 + 0.65 * weights[query][head][t]).toFixed(2) }, plane.layer).textContent = words[t];
  }
  plane.arrow([0, 0], asks, "query");
  const best = keys.reduce((b, _, t) => (weights[query][head][t] > weights[query][head][b] ? t : b), 0);
  plane.svg.setAttribute("aria-label", `Query of ${words[query]} and the keys up to it, pair ${pair + 1}`);
  byId("phases-said").textContent = `The query of “${words[query]}” (orange) and the keys of the words up to it (blue), rotated by their positions; δ = ${real(scale, 3)}, b = ${real(shift, 3)}. `
    + `The closer a key's direction is to the query's, the more this pair adds to its score. All ${one.frequencies.length} pairs together attend most to “${words[best]}” (${Math.round(100 * weights[query][head][best])} %).`;
  byId("next-said").textContent = `ComplexFormer expects next: ${next.map(([word, p]) => `${word} ${Math.round(100 * p)} %`).join(", ")}.`;
  byId("turned").textContent = byId("turn").value + "°";
  byId("turn").disabled = !delta;
  const mean = (row) => row.reduce((sum, x) => sum + x, 0) / row.length;
  const spread = (row) => `${real(mean(row), 3)} ± ${real(Math.sqrt(mean(row.map((x) => (x - mean(row)) ** 2))), 2)}`;
  byId("heads").querySelector("tbody").replaceChildren(...layers.flatMap((values, l) => (values.delta ?? []).map((row, h) => {
    const line = document.createElement("tr");
    for (const text of [`layer ${l + 1}, head ${h + 1}`, spread(row), spread(values.bias[h])]) line.insertCell().textContent = text;
    return line;
  })));
  document.documentElement.dataset.looked = Number(document.documentElement.dataset.looked || 0) + 1;
}

/** Shows how rotating a head by hand changes the share of grammatical sentences. */
async function judgeTurned() {
  if (!models.length) return;
  const { sentences, share } = await judge(0, turns());
  byId("turn-said").textContent = turns().length
    ? `With head ${Number(byId("head").value) + 1} of layer ${Number(byId("layer").value) + 1} rotated by ${byId("turn").value}°, ${Math.round(share)} % of its ${sentences.length} sentences are correct.` : "";
}

function showMaps() {
  for (const id of ["second", "map-second"]) byId(id).hidden = models.length < 2;
}

// ---------------------------------------------------------------- files

/** A tar archive: each file follows a header of 512 bytes. */
function packed(files) {
  const parts = [], text = new TextEncoder();
  for (const [name, bytes] of files) {
    const head = new Uint8Array(512), put = (at, words) => head.set(text.encode(words), at);
    put(0, name);
    put(100, "0000644\0" + "0000000\0" + "0000000\0" + bytes.length.toString(8).padStart(11, "0") + "\0" + "00000000000\0" + "        " + "0");
    put(257, "ustar\0" + "00");
    put(148, head.reduce((sum, x) => sum + x, 0).toString(8).padStart(6, "0") + "\0 ");
    parts.push(head, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  }
  return new Blob([...parts, new Uint8Array(1024)]);
}

/** The checkpoint inside a tar archive; bytes that are not an archive are returned unchanged. */
function checkpointIn(bytes) {
  const words = (at, length) => new TextDecoder().decode(bytes.subarray(at, at + length)).split("\0")[0];
  for (let at = 0; at + 512 <= bytes.length && words(at + 257, 5) === "ustar";) {
    const size = parseInt(words(at + 124, 12), 8) || 0;
    if (words(at, 100).endsWith(".safetensors")) return bytes.subarray(at + 512, at + 512 + size);
    at += 512 * (1 + Math.ceil(size / 512));
  }
  return bytes;
}

async function save() {
  await asked({ save: models[0].model, folder: "/tmp" });
  const files = [];
  for (const name of ["last.safetensors", "vocab.txt"]) files.push(["argand-page/" + name, await ask.read("/tmp/" + name)]);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(packed(files)), download: "argand-page.tar" });
  link.click();
  return files;
}

async function open(bytes) {
  await ask.write("/tmp/opened.safetensors", checkpointIn(bytes));
  const opened = await begin({ open: "/tmp/opened.safetensors" }, "ComplexFormer");
  opened.name = opened.family === "complexformer" ? "ComplexFormer" : "RoPE";
  models = [opened];
  showMaps();
  const { sentences, share } = await judge(0);
  Object.assign(opened, { sentences });
  opened.shares.push([0, share]);
  drawCharts();
  drawSentences(0);
  say();
  await look();
}

// ---------------------------------------------------------------- the page

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

addEventListener("error", () => document.documentElement.dataset.errors++);
const given = new URLSearchParams(location.hash.slice(1));
setTheme(["dark", "light"].includes(given.get("theme")) ? given.get("theme") : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
byId("text").value = given.get("text") || "mary is a brave sailor . she often watches the seals near the reef .";
byId("command").textContent = "argand train lm " + Object.entries({ ...FAMILIES[0][1], ...RECIPE }).map(([key, text]) => `--${key.replaceAll("_", "-")} ${text}`).join(" ");
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
byId("beside").addEventListener("change", say);
drawCharts();
startEngine("argand_model").then(async (engine) => {
  ask = engine;
  const quietly = (f) => (...given) => f(...given).catch(() => (training = false, say()));  // asked() has already shown the error
  byId("train").addEventListener("click", quietly(train));
  byId("save").addEventListener("click", quietly(save));
  byId("open").addEventListener("change", quietly(async () => byId("open").files[0] && open(new Uint8Array(await byId("open").files[0].arrayBuffer()))));
  for (const id of ["text", "layer", "head", "pair", "query", "turn"]) byId(id).addEventListener("input", quietly(look));
  byId("turn").addEventListener("change", quietly(judgeTurned));
  const trained = byId("trained").textContent.trim();
  if (trained) await quietly(open)(new Uint8Array(await inflated(trained)));
  document.documentElement.dataset.ready = "1";
}, (error) => {
  byId("summary").textContent = "The library does not run in this browser: " + error.message + ".";
  document.documentElement.dataset.errors++;
});
