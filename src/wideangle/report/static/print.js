// On paper: the map as it is seen, and the topics with their words in columns. Made when it is asked for.
function drawPrinted() {
  const i = state.model, { topics } = models[i];
  if (!topics) return replace("printed");
  return replace("printed", sortedTopics(i, topicsAt(i).shown).map((node) => el("div", { class: "printed-topic" },
    el("strong", {}, swatch(topicColour(i, node)), nameOfTopic(i, node)), " ", sparkOverTime(i, node), ` ${plural(treeOf(i).nodes[node].size, "document")}`,
    el("p", {}, rankedWords(i, node).slice(0, 15).map(({ column }) => nameOfColumn(column)).join(", ")))));
}

function startPrinting() {
  const prepare = () => {
    drawPrinted();
    if (canvas) paint();
  };
  window.addEventListener("beforeprint", prepare);
  printing.addEventListener("change", () => printing.matches && prepare());
  if (printing.matches) prepare();
}
