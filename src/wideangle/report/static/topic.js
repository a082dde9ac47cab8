// What the panel tells of a topic.
const NEAREST_SHOWN = 6;
const MOST_CARDS = 24;

function topicButton(i, node) {
  return el("button", { type: "button", class: "link", onclick: () => select({ model: i, topic: node, document: null }) },
    swatch(topicColour(i, node)), nameOfTopic(i, node));
}

function documentButton(d) {
  return el("button", { type: "button", class: "link", onclick: () => select({ document: d }) }, breakable(calledDocument(d)));
}

function classButton(group) {
  return el("button", { type: "button", class: "link", onclick: () => select({ class: group, topic: null, document: null }) }, data.classes[group].name);
}

// Rows of a name, a bar and a share.
function shareRows(rows, whole) {
  const most = Math.max(...rows.map(([, n]) => n), 1);
  return el("table", { class: "words shares" }, el("tbody", {}, rows.map(([name, n]) => el("tr", {}, el("th", { scope: "row" }, name),
    el("td", { class: "bars" }, bar(n / most, "plain")), el("td", { class: "share", title: plural(n, "document") }, percent(n, whole))))));
}

function leadOfTopic(i, node) {
  const { size, renamed } = treeOf(i).nodes[node], near = nearestTopics(i, node)[0];
  return [plural(size, "document"), near ? `${degrees(near[1])} from the nearest topic` : null, renamed ? "named by hand" : null,
    comparing ? models[i].name : null].filter(Boolean).join(" · ");
}

function relatives(i, node) {
  const tree = treeOf(i), parts = partsOf(tree, node), parent = tree.parent[node];
  const other = parent >= 0 ? partsOf(tree, parent).find((part) => part !== node) : null;
  const rows = [];
  for (const part of parts) rows.push(el("li", {}, el("span", { class: "hint" }, "splits into "), topicButton(i, part), remark(count(tree.nodes[part].size))));
  if (other !== null && other !== undefined) {
    rows.push(el("li", {}, el("span", { class: "hint" }, "merges with "), topicButton(i, other), el("span", { class: "hint" }, " into "), topicButton(i, parent)));
  }
  return rows.length ? [el("h4", {}, "In the tree"), el("ul", { class: "plain" }, rows)] : [];
}

function examplesOf(i, node) {
  const { central } = treeOf(i).nodes[node];
  if (!central?.length || !hasMap()) return [];
  return [el("h4", {}, "Central documents"), el("ul", { class: "plain examples" }, central.map((d) => {
    const group = classOfDocument(d), words = beginningOf(d);
    return el("li", {}, documentButton(d), group === null ? "" : el("small", {}, ` ${data.classes[group].name}`), words ? el("p", {}, words) : "");
  }))];
}

// The first words of a topic that its name does not say already.
function wordsBeside(i, node, columns, most) {
  const said = new Set(nameOfTopic(i, node).split(/[\s,]+/));
  return columns.map(nameOfColumn).filter((word) => !said.has(word)).slice(0, most);
}

// The largest topics at a glance, where none is chosen.
function topicCards(i) {
  const { nodes } = treeOf(i), shown = [...topicsAt(i).shown].sort((a, b) => nodes[b].size - nodes[a].size).slice(0, MOST_CARDS);
  return el("div", { class: "cards" }, shown.map((node) => {
    const top = nodes[node].classes?.[0], words = wordsBeside(i, node, rankedWords(i, node).map(({ column }) => column), 9);
    return el("div", { class: "card" }, topicButton(i, node), el("p", {}, words.join(", ")),
      top && data.classes ? el("small", {}, `${percent(top[1], nodes[node].size)} ${data.classes[top[0]].name}`) : "");
  }));
}

function topicParts(i, node) {
  const { classes, phrases, size } = treeOf(i).nodes[node], near = nearestTopics(i, node).slice(0, NEAREST_SHOWN);
  return [
    el("h3", {}, swatch(topicColour(i, node)), nameOfTopic(i, node)),
    el("p", { class: "lead" }, leadOfTopic(i, node)),
    chartOverTime(i, node),
    el("div", { class: "blocks" },
      el("div", {}, el("h4", {}, `${capital(data.column)}s`), wordTable(i, node),
        phrases?.length ? [el("h4", {}, "Phrases"), el("p", { class: "phrases" }, phrases.map((phrase) => el("span", { class: "chip" }, phrase)))] : []),
      el("div", {},
        classes?.length && data.classes ? [el("h4", {}, "Classes"), shareRows(classes.map(([group, n]) => [classButton(group), n]), size)] : [],
        near.length ? [el("h4", {}, "Nearest topics"), el("ul", { class: "plain near" }, near.map(([other, angle]) =>
          el("li", {}, el("b", {}, degrees(angle)), el("span", {}, topicButton(i, other)))))] : [],
        relatives(i, node)),
      el("div", {}, examplesOf(i, node))),
  ];
}
