// Words of a topic, from frequent to exclusive, with bars.
const FIRST_WORDS = 12;
let allWords = false;

// The log-odds ratio of a word in a topic against the other documents, with `prior` documents like the whole added to both sides,
// divided by its standard error to the power 2(1 - e): e = 0 prefers frequent words, e = 1 exclusive ones.
function scoreOfWord(a, f, size, n, prior, e) {
  const share = f / n;
  const a1 = a + prior * share, b1 = size - a + prior * (1 - share);
  const a2 = f - a + prior * share, b2 = n - size - f + a + prior * (1 - share);
  const variance = 1 / a1 + 1 / b1 + 1 / a2 + 1 / b2;
  const score = (Math.log(a1 / b1) - Math.log(a2 / b2)) * variance ** -(1 - e);
  return Number.isFinite(score) ? score : -Infinity;
}

const frequencies = () => numbers(data.frequency, Uint32Array);
const nameOfColumn = (column) => data.vocabulary?.[column] ?? `${data.column} ${column + 1}`;

// [{column, a: documents of the topic that have it, f: of all}], the best first.
function rankedWords(i, node, e = state.exclusive / 100) {
  const { words, size, counted = size } = treeOf(i).nodes[node], all = frequencies();
  const rows = (words ?? []).map(([column, a]) => ({ column, a, f: all ? all[column] : null }));
  if (!all) return rows;
  for (const row of rows) row.score = scoreOfWord(row.a, row.f, counted, data.counted, models[i].topics.prior ?? 1, e);
  return rows.sort((one, other) => other.score - one.score);
}

function bar(share, kind) {
  const line = el("i", { class: kind });
  line.style.width = `${clamp(100 * share, 0.5, 100)}%`;
  return line;
}

function wordRows(i, node) {
  // Documents that repeat another one are counted in the size of a topic, but not in its words.
  const { size, counted = size } = treeOf(i).nodes[node], rows = rankedWords(i, node), shown = allWords ? rows : rows.slice(0, FIRST_WORDS);
  const most = Math.max(...rows.map(({ a, f }) => Math.max(a / (counted || 1), f === null ? 0 : f / data.counted)), 0.01);
  return shown.map(({ column, a, f }) => el("tr", {},
    el("th", { scope: "row" }, nameOfColumn(column)),
    el("td", { class: "bars" }, bar(a / (counted || 1) / most, i ? "own second" : "own"), f === null ? "" : bar(f / data.counted / most, "all")),
    el("td", { class: "share", title: `${count(a)} of ${plural(counted, "document")} here${f === null ? "" : `, ${count(f)} of ${count(data.counted)} in all`}` }, percent(a, counted))));
}

// The table of words, with the slider above it; moving the slider redraws the rows only.
function wordTable(i, node) {
  const total = treeOf(i).nodes[node].words?.length ?? 0;
  if (!total) return el("p", { class: "empty" }, `No ${data.column}s are known for this topic.`);
  const body = el("tbody", { class: "word-rows" }, wordRows(i, node));
  const more = total > FIRST_WORDS ? el("button", { type: "button", class: "quiet", "aria-expanded": String(allWords), onclick: (event) => {
    allWords = !allWords;
    body.replaceChildren(...wordRows(i, node));
    event.target.textContent = allWords ? "Fewer" : `All ${total}`;
    event.target.setAttribute("aria-expanded", String(allWords));
  } }, allWords ? "Fewer" : `All ${total}`) : "";
  const slider = frequencies() ? el("label", { class: "slider" }, el("span", {}, "frequent"),
    el("input", { type: "range", min: 0, max: 100, step: 5, value: state.exclusive, class: "exclusive",
      "aria-label": `${capital(data.column)}s from frequent to exclusive`,
      oninput: (event) => select({ exclusive: Number(event.target.value) }, "replace") }), el("span", {}, "exclusive")) : "";
  return el("div", { class: "words-box" }, slider,
    el("table", { class: "words" }, el("caption", {}, el("span", { class: i ? "key own second" : "key own" }), "of this topic’s documents ",
      frequencies() ? [el("span", { class: "key all" }), "of all"] : ""), body), more);
}

// All panels and sliders on the page follow the one that was moved.
whenSelected((changed) => {
  if (!changed.has("exclusive")) return;
  for (const input of document.querySelectorAll("input.exclusive")) input.value = state.exclusive;
  if (state.topic === null) return;
  for (const body of document.querySelectorAll(".word-rows")) body.replaceChildren(...wordRows(state.model, state.topic));
});
