// Light and dark: as the system says, until the reader says otherwise.
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 46rem)");
let chosenTheme = remembered();

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

function applyTheme() {
  const theme = chosenTheme || (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

function startTheme() {
  applyTheme();
  byId("theme").addEventListener("click", () => {
    chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember(chosenTheme);
    applyTheme();
    drawCharts();
  });
  prefersDark.addEventListener("change", () => {
    applyTheme();
    drawCharts();
  });
  narrow.addEventListener("change", () => drawCharts());
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["card", "ink", "muted", "line", "first", "second", "close", "middling", "apart"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}
