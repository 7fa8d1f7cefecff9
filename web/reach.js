"use strict";

/** What is wider than its place can be scrolled with the keys too, and fades where it goes on. */
function reachByKeys() {
  for (const part of document.querySelectorAll("pre, .katex-display, .scroll, figure")) {
    const hidden = part.scrollWidth - part.clientWidth;
    if (hidden > 1) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
    const fade = () => part.classList.toggle("goes-on", part.scrollWidth - part.clientWidth - part.scrollLeft > 1);
    fade();
    part.onscroll = hidden > 1 ? fade : null;
  }
}

addEventListener("load", reachByKeys);
addEventListener("resize", reachByKeys);
