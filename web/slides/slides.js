"use strict";
// Shows one slide at a time on a wide screen. The address names the slide, so that links can lead to it.

addEventListener("DOMContentLoaded", () => {
  const byId = (id) => document.getElementById(id), slides = [...document.querySelectorAll("section")], wide = matchMedia("(min-width: 900px)");
  let at = 0;

  function show(wanted) {
    at = Math.min(slides.length - 1, Math.max(0, wanted));
    slides.forEach((slide, k) => slide.classList.toggle("now", k === at));
    byId("slide-place").textContent = `${at + 1} of ${slides.length}`;
    try {
      history.replaceState(null, "", "#" + (at + 1));
    } catch {
      // Some browsers do not let a page opened as a file change its address.
    }
  }
  const read = () => show((Number(location.hash.slice(1)) || 1) - 1);
  const notes = () => byId("slide-notes").setAttribute("aria-pressed", document.body.classList.toggle("notes"));
  const keys = { ArrowRight: () => show(at + 1), PageDown: () => show(at + 1), " ": () => show(at + 1), ArrowLeft: () => show(at - 1), PageUp: () => show(at - 1),
    Home: () => show(0), End: () => show(slides.length - 1), n: notes, N: notes };

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !document.body.classList.contains("deck") || !keys[event.key]) return;
    if (event.key === " " && event.target.closest("button, a")) return;  // in that case the space key presses the button
    event.preventDefault();
    keys[event.key]();
  });
  byId("slide-on").addEventListener("click", () => show(at + 1));
  byId("slide-back").addEventListener("click", () => show(at - 1));
  byId("slide-notes").addEventListener("click", notes);
  addEventListener("hashchange", read);
  const lay = () => document.body.classList.toggle("deck", wide.matches);
  wide.addEventListener("change", lay);
  lay();
  read();
});
