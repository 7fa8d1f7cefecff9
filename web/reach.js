"use strict";

/** What is wider than its place can be scrolled with the keys too. */
function reachByKeys() {
  for (const part of document.querySelectorAll("pre, .katex-display, .scroll, figure")) {
    if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}

addEventListener("load", reachByKeys);
addEventListener("resize", reachByKeys);
