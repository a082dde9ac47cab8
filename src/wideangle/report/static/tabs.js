// On a phone the parts of the page are tabs, one in sight at a time.
const TABS = { map: "Map", change: comparing ? "What changed" : data.change ? "Classes" : "Angles", topics: "Topics" };

function drawTabs() {
  const bar = byId("tabs"), shown = Object.keys(TABS).filter((id) => !byId(id).hidden);
  document.body.dataset.tab = state.tab;
  const had = bar.contains(document.activeElement);
  bar.replaceChildren(...shown.map((id) => el("button", {
    type: "button", role: "tab", "aria-selected": String(id === state.tab), "aria-controls": id, tabindex: id === state.tab ? "0" : "-1",
    onclick: () => select({ tab: id }),
    onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) select({ tab: shown[(shown.indexOf(id) + step + shown.length) % shown.length] });
    },
  }, TABS[id])));
  if (had) bar.querySelector('[aria-selected="true"]')?.focus();
}

sections.push({
  id: "tabs",
  draw() {
    if (!hasMap() && state.tab === "map") state.tab = "topics";
    drawTabs();
    whenSelected((changed) => {
      if (changed.has("tab")) {
        drawTabs();
        window.scrollTo(0, 0);
      }
    });
    // A section that shows itself later gets its tab then.
    new MutationObserver(drawTabs).observe(byId("change"), { attributes: true, attributeFilter: ["hidden"] });
  },
});
