"use strict";

/** Lets the keyboard scroll every element that is wider than its container, and fades such an element at the edge where it
   continues. */
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
