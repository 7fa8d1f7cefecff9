"use strict";
// The light or dark theme, the table of contents on a phone, printing, search, and the lab next to the text. Without scripts the
// book can still be read, and links open the lab in a separate page.

const wide = matchMedia("(min-width: 1000px)");

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Stores a theme, if given, and returns the last one chosen on any page. Some browsers store nothing for pages opened as files. */
function remembered(value) {
  try {
    if (value) localStorage.setItem("argand-theme", value);
    return localStorage.getItem("argand-theme");
  } catch {
    return value;
  }
}

setTheme(remembered());

addEventListener("DOMContentLoaded", () => {
  const byId = (id) => document.getElementById(id), beside = byId("page-beside"), frame = beside.querySelector("iframe");

  byId("page-theme").addEventListener("click", () => setTheme(remembered(isDark() ? "light" : "dark")));
  byId("page-menu").addEventListener("click", () => {
    const open = document.body.classList.toggle("menu-open");
    byId("page-menu").setAttribute("aria-expanded", open);
  });
  const contents = byId("page-contents"), here = contents.querySelector("[aria-current]");
  if (here) contents.scrollTop = here.offsetTop - contents.clientHeight / 2;  // scrolls a long list until the current page is visible in it
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a")) document.body.classList.remove("menu-open");
  });

  for (const link of document.querySelectorAll("a.lab"))
    link.addEventListener("click", (event) => {
      if (!wide.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const place = link.getBoundingClientRect().top;
      frame.src = link.href + "&theme=" + (isDark() ? "dark" : "light");
      byId("page-alone").href = link.href;
      beside.hidden = false;
      document.body.classList.add("with-lab");
      scrollBy(0, link.getBoundingClientRect().top - place);  // the text is narrower now: keep the link where it was on the screen
    });
  // The lab reports its state, so that the link to its own page opens it in the same state.
  addEventListener("message", (event) => {
    if (event.source === frame.contentWindow && typeof event.data?.lab === "string" && event.data.lab.startsWith("#"))
      byId("page-alone").href = frame.src.split("#")[0] + event.data.lab;
  });
  byId("page-close").addEventListener("click", () => {
    beside.hidden = true;
    document.body.classList.remove("with-lab");
  });
  listenToPrint(byId("page-print"));
  listenToSearch(byId("page-search"), byId("page-found"));
});

/** Prints the answers to exercises only if the box is ticked; otherwise prints only the exercises. */
function listenToPrint(switches) {
  const box = switches.querySelector("input"), answers = [...document.querySelectorAll("details")];
  let opened = [];
  switches.hidden = false;
  if (!answers.length) box.parentElement.hidden = true;
  switches.querySelector("button").addEventListener("click", () => print());
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.answers = box.checked ? "printed" : "";
    opened = box.checked ? answers.filter((one) => !one.open) : [];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}

// ---------------------------------------------------------------- search

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");

/** The position of a word in a text, as [begin, end] in the original, whose characters may be longer than folded ones (z̄). */
function placeOf(text, word) {
  const starts = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const letter = String.fromCodePoint(text.codePointAt(at)), part = folded(letter);
    for (let k = 0; k < part.length; ++k) starts.push(at);
    plain += part;
    at += letter.length;
  }
  const at = plain.indexOf(word);
  return at < 0 ? [0, 0] : [starts[at], starts[at + word.length] ?? text.length];
}

/** At most `most` sections that contain every word; those with the words in a heading come first. */
function found(words, most) {
  const scored = [];
  for (const [address, title, heading, text] of SEARCHED) {
    const head = folded(title + " " + heading), all = head + " " + folded(text);
    if (!words.every((word) => all.includes(word))) continue;
    scored.push({ address, title, heading, text, score: words.filter((word) => head.includes(word)).length });
  }
  return scored.sort((a, b) => b.score - a.score).slice(0, most);
}

/** The text around the first occurrence of the word, which is highlighted. */
function excerpt(text, word) {
  const [at, end] = placeOf(text, word), begin = at < 60 ? 0 : Math.min(at, text.indexOf(" ", at - 60) + 1);
  const line = document.createElement("small");
  line.append((begin ? "… " : "") + text.slice(begin, at), Object.assign(document.createElement("mark"), { textContent: text.slice(at, end) }),
    text.slice(end, begin + 170) + (text.length > begin + 170 ? " …" : ""));
  return line;
}

function listenToSearch(field, list) {
  const root = document.documentElement.dataset.root;
  let loading = null;
  const load = () => (loading ??= new Promise((done) => document.head.append(Object.assign(document.createElement("script"), { src: root + "/search.js", onload: done }))));
  const show = async () => {
    const words = folded(field.value).split(/\s+/).filter(Boolean);
    list.hidden = !words.length;
    if (!words.length) return;
    await load();
    const hits = found(words, 12);
    list.replaceChildren(...hits.map(({ address, title, heading, text }) => {
      const link = Object.assign(document.createElement("a"), { href: root + "/" + address });
      link.append(Object.assign(document.createElement("b"), { textContent: heading || title }), " ", heading ? title : "", excerpt(text, words[0]));
      return link;
    }));
    if (!hits.length) list.textContent = "No section contains all of these words.";
    list.dataset.words = words.join(" ");
  };
  field.hidden = false;
  field.addEventListener("focus", load, { once: true });
  field.addEventListener("input", show);
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") {
      field.value = "";
      list.hidden = true;
    } else if (["ArrowDown", "ArrowUp"].includes(event.key) && !list.hidden && (event.target === field || list.contains(event.target))) {
      event.preventDefault();
      const stops = [field, ...list.querySelectorAll("a")], at = stops.indexOf(event.target);
      stops[(at + (event.key === "ArrowDown" ? 1 : stops.length - 1)) % stops.length].focus();
    }
  });
}
