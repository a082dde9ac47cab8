// What the panel tells of a class, and the legend when nothing is selected.
const FIRST_DOCUMENTS = 8;
const LEGEND_ROWS = 60;

function documentsOfClass(group) {
  const classes = classesOfDocuments(), own = [];
  for (let d = 0; classes && d < classes.length; d++) if (classes[d] === group) own.push(d);
  return own;
}

// In which topics of the level its documents lie, most first.
function topicsOfClass(i, own) {
  const sums = new Map();
  for (const d of own) {
    const node = topicOfDocument(i, d);
    if (node !== null) sums.set(node, (sums.get(node) ?? 0) + 1);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function precisionOf(group) {
  const row = data.change?.classes?.find((entry) => entry.class === group);
  if (!row) return "";
  return [el("h4", {}, `Of the ${data.change.k} nearest documents, of this class`), el("ul", { class: "plain near" }, row.precision.map((value, i) =>
    el("li", {}, el("b", {}, Number.isFinite(value) ? percent(value, 1) : "–"), el("span", {}, comparing ? [shapeOf(i), models[i].name] : "precision"))))];
}

function classParts(group) {
  const own = documentsOfClass(group), rows = topicsOfClass(state.model, own);
  return [
    el("h3", {}, data.classes[group].name),
    el("p", { class: "lead" }, `Class · ${things(data.classes[group].size)}`),
    precisionOf(group),
    rows.length ? [el("h4", {}, `Its ${plural(rows.length, "topic")}`),
      shareRows(rows.slice(0, 8).map(([node, n]) => [topicButton(state.model, node), n]), own.length)] : "",
    own.length ? [el("h4", {}, "Documents"), el("ul", { class: "plain" }, own.slice(0, FIRST_DOCUMENTS).map((d) => el("li", {}, documentButton(d)))),
      own.length > FIRST_DOCUMENTS ? el("p", { class: "hint" }, `and ${count(own.length - FIRST_DOCUMENTS)} more on the map.`) : ""] : "",
  ];
}

// The legend as a table of two columns; of very many rows the first, and the others when they are asked for.
let wholeLegend = false;

function legendTable(head, rows) {
  const shown = wholeLegend ? rows : rows.slice(0, LEGEND_ROWS), rest = rows.length - shown.length;
  return [
    el("div", { class: "legend-head hint", "aria-hidden": "true" }, el("span", {}, head), el("span", {}, "documents")),
    el("ul", { class: "plain legend-list" }, shown.map(([name, size]) => el("li", {}, el("span", {}, name), remark(size)))),
    rest ? button({ class: "quiet", id: "legend-all", onclick: () => {
      wholeLegend = true;
      drawPanelInPlace();
      byId("panel").focus();
    } }, `Show the other ${count(rest)} too`) : "",
  ];
}

function legendOfFinders() {
  const each = [0, 0, 0, 0];
  for (const who of whoFinds()) if (who < 4) each[who]++;
  const all = each.reduce((a, b) => a + b, 0);
  return [3, 1, 2, 0].map((who) => [[el("span", { class: `shape ${FOUND[who]}`, "aria-hidden": "true" }),
    { both: "both models", first: `${models[0].name} alone`, second: `${models[1]?.name} alone`, neither: "neither" }[FOUND[who]]],
  `${count(each[who])}, ${percent(each[who], all)}`]);
}

function legendOfClasses() {
  const colour = coloursOfClasses(), order = data.classes.map((_, k) => k).sort((a, b) => data.classes[b].size - data.classes[a].size);
  return order.map((group) => [[swatch(colour[group]), classButton(group)], count(data.classes[group].size)]);
}

function legendOfTopics() {
  const { nodes } = treeOf(state.model), shown = [...topicsAt(state.model).shown].sort((a, b) => nodes[b].size - nodes[a].size);
  return shown.map((node) => [topicButton(state.model, node), count(nodes[node].size)]);
}

function legendParts() {
  const kind = colourShown();
  const heads = {
    topic: `${plural(topicsAt(state.model).shown.length, "topic")}, the largest first`,
    class: `${plural(data.classes?.length ?? 0, "class", "classes")}, the largest first`,
    found: "Who finds a document among its class",
  };
  const rows = { topic: legendOfTopics, class: legendOfClasses, found: legendOfFinders }[kind]?.() ?? [];
  return [
    el("h3", {}, "What lies where"),
    el("p", { class: "lead" }, `Click a point for its text and its nearest documents${models[state.model].topics ? ", or a name for its topic" : ""}. Drag to move, turn the wheel to zoom, draw a lasso around documents to list them.`),
    chartOverTime(state.model, null),
    rows.length ? [el("h4", {}, heads[kind]), legendTable({ topic: "topic", class: "class", found: "found by" }[kind], rows)] : "",
  ];
}
