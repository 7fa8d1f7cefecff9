"use strict";
// Light or dark, the list of contents on a phone, and the lab beside the text. Without a script the book reads as well, and links to
// the lab open it in a page of its own.

const wide = matchMedia("(min-width: 1000px)");

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** What was chosen on another page; some browsers keep nothing for files. */
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
  byId("page-contents").addEventListener("click", (event) => {
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
      scrollBy(0, link.getBoundingClientRect().top - place);  // the text is narrower now; the link stays where it was
    });
  byId("page-close").addEventListener("click", () => {
    beside.hidden = true;
    document.body.classList.remove("with-lab");
  });

  // Answers that are folded on the screen are printed.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
});
