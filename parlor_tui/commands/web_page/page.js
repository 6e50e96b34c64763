// Keys go to the screen as soon as it stands: nobody has to click first.
function focusScreen() {
  document.querySelector(".xterm-helper-textarea")?.focus();
}
new MutationObserver(focusScreen).observe(document.body, { attributeFilter: ["class"] });
window.addEventListener("focus", focusScreen);
