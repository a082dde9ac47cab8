// More or fewer topics, beside the map: a slider with a button at either end.
function levelControl() {
  const i = state.model, { L } = treeOf(i), T = levelOf(i), least = Math.min(2, L);
  if (L <= 2) return "";
  const step = (to, id, sign, label) => button({ id, class: "step", "aria-label": label, title: label, disabled: to === T, onclick: () => changeLevel(to) }, sign);
  const apart = Math.max(1, Math.round(T / 8)); // as many more of few topics would be a leap
  return el("div", { class: "choice", role: "group", "aria-label": "How many topics" }, el("span", { class: "hint" }, "Topics"),
    step(Math.max(least, T - apart), "fewer-topics", "−", "Fewer topics"),
    el("input", { type: "range", id: "map-level", min: least, max: L, value: T, "aria-label": "How many topics", oninput: (event) => changeLevel(Number(event.target.value)) }),
    step(Math.min(L, T + apart), "more-topics", "+", "More topics"),
    el("output", { id: "map-level-says", for: "map-level", class: "chip", "aria-live": "off" }, String(T)));
}
