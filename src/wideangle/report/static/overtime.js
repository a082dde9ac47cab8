// When the documents of a topic were written: a chart in the panels, and a small one in each row of the list.
// All documents are counted, on the map or not.
const overTime = []; // of each model {nodes: [[documents in each period]], all: [documents in each period]}
const overTimeOf = (i) => models[i].over_time ?? null;

// The page holds a row of counts for each leaf, and one for the documents without a topic.
function countsOverTime(i) {
  if (overTime[i]) return overTime[i];
  const { starts, counts } = overTimeOf(i), reader = numberReader(bytesOf(counts)), { L, merges } = treeOf(i) ?? { L: 0, merges: [] };
  const row = () => starts.map(() => reader.next()), sum = (one, other) => one.map((n, k) => n + other[k]);
  const nodes = Array.from({ length: L }, row), without = row();
  for (const [a, b] of merges) nodes.push(sum(nodes[a], nodes[b]));
  overTime[i] = { nodes, all: L ? sum(nodes.at(-1), without) : without };
  return overTime[i];
}

// How many documents the chart does not show: those of the topic, or of all, that have no date.
function saysUndated(i, node, own) {
  const undated = node === null ? overTimeOf(i).undated : treeOf(i).nodes[node].size - own.reduce((a, b) => a + b, 0);
  return undated ? el("p", { class: "hint" }, `${things(undated)} without a date ${undated === 1 ? "is" : "are"} not counted.`) : "";
}

// The chart of a topic, or of all documents where `node` is null; nothing where there are no dates.
function chartOverTime(i, node) {
  if (!overTimeOf(i)) return "";
  const { period, starts } = overTimeOf(i), { nodes, all } = countsOverTime(i), own = node === null ? all : nodes[node];
  const most = Math.max(...own), top = own.indexOf(most), title = `${capital(thing)}s per ${period}`;
  if (!most) return saysUndated(i, node, own);
  const share = (k) => (node === null ? "" : `, ${percent(own[k], all[k])} of all`);
  const said = el("span", { class: "said" }), columns = own.map((n) => el("span", {}, barOverTime(n / most, i, node)));
  let at = null;
  const point = (k) => {
    columns.forEach((column, other) => column.classList.toggle("pointed", other === k));
    said.textContent = k === null ? `most in ${starts[top]}: ${count(most)}` : `${starts[k]}: ${count(own[k])}${share(k)}`;
    at = k;
  };
  const keys = (event) => {
    const goal = { ArrowLeft: (at ?? top) - 1, ArrowRight: (at ?? top) + 1, Home: 0, End: own.length - 1 }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    point(clamp(goal, 0, own.length - 1));
    say(`${starts[at]}: ${things(own[at])}${share(at)}`);
  };
  const under = ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    point(clamp(Math.floor((own.length * (clientX - left)) / width), 0, own.length - 1));
  };
  point(null);
  return el("figure", { class: "over-time" },
    el("figcaption", {}, title),
    el("div", { class: "periods", tabindex: "0", role: "application", "aria-roledescription": "bar chart",
      "aria-label": `${title}, ${starts[0]} to ${starts.at(-1)}; most in ${starts[top]}: ${count(most)}. Arrow keys move from ${period} to ${period}.`,
      onkeydown: keys, onfocus: () => point(at ?? top), onblur: () => point(null),
      onpointerdown: under, onpointermove: under, onpointerleave: () => point(null) }, columns),
    el("div", { class: "ends", "aria-hidden": "true" }, el("span", {}, starts[0]), said, el("span", {}, starts.at(-1))),
    el("p", { class: "unseen" }, starts.map((start, k) => `${start}: ${count(own[k])}`).join("; ")),
    saysUndated(i, node, own));
}

// A bar in the colour that the topic has on the map.
function barOverTime(share, i, node) {
  const line = el("i"), colour = node === null ? null : topicColour(i, node);
  line.style.height = `${100 * share}%`;
  line.hidden = !share;
  if (colour !== null) line.style.background = colourOf(colour, themeName());
  return line;
}

// All bars of a topic as one shape, each topic by its own scale.
function sparkOverTime(i, node) {
  if (!overTimeOf(i)) return "";
  const own = countsOverTime(i).nodes[node], most = Math.max(...own, 1), shape = el("i", { class: "spark", "aria-hidden": "true" });
  const corners = own.flatMap((n, k) => [k, k + 1].map((end) => `${((100 * end) / own.length).toFixed(1)}% ${(100 * (1 - n / most)).toFixed(0)}%`));
  shape.style.clipPath = `polygon(0 100%, ${corners.join(", ")}, 100% 100%)`;
  return shape;
}

// Where there is no panel beside the map, on a phone and on paper, all documents are charted above the topics.
const drawAllOverTime = () => replace("all-over-time", chartOverTime(state.model, null));

sections.push({
  id: "all-over-time",
  when: "late",
  draw() {
    drawAllOverTime();
    whenSelected((changed) => changed.has("model") && drawAllOverTime());
  },
});
