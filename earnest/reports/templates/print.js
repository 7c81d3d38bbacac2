"use strict";
// On paper nothing can be unfolded. New browsers are told so by the style sheet; for the others
// what is folded is opened while they print.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.dataset.folded = "";
    folded.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const opened of document.querySelectorAll("details[data-folded]")) {
    delete opened.dataset.folded;
    opened.open = false;
  }
});
