// Light and dark: as the system says, until the reader says otherwise. On paper: light.
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 46rem)");
const printing = window.matchMedia("print");
const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");
let chosenTheme = remembered();
const themeListeners = [];
const whenThemed = (listener) => themeListeners.push(listener);

// Storage is refused in a notebook's sandboxed frame and in some browsers for files; the page works without.
function remembered() {
  try {
    return localStorage.getItem("wideangle-theme");
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem("wideangle-theme", theme);
  } catch {
    // nothing to keep it in
  }
}

function applyTheme(onPaper = printing.matches) {
  const theme = onPaper ? "light" : chosenTheme || (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  for (const listener of themeListeners) listener(theme);
}

function startTheme() {
  document.documentElement.classList.toggle("comparing", comparing);
  applyTheme();
  byId("theme").addEventListener("click", () => {
    chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember(chosenTheme);
    applyTheme();
  });
  prefersDark.addEventListener("change", () => applyTheme());
  printing.addEventListener("change", () => applyTheme());
  window.addEventListener("beforeprint", () => applyTheme(true));
  window.addEventListener("afterprint", () => applyTheme(false));
}

const isDark = () => document.documentElement.dataset.theme === "dark";

// The colours of the present theme, for what is drawn on a canvas: colours().first, colours().ink, ...
function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "card", "ink", "muted", "line", "tint", "first", "second", "close", "both", "neither", "dimmed", "faint", "focus"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
