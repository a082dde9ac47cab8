// Which components use a word. Every word of the vocabulary is found.
const MOST_HITS = 12;
const folded = models.map((model, i) =>
  i && model.vocabulary === models[0].vocabulary ? null : model.vocabulary.map((word) => word.toLowerCase()));

// Words that are the query come first, then those that begin with it, then those that hold it.
function matches(query) {
  const kinds = [new Set(), new Set(), new Set()];
  folded.forEach((words, i) => {
    if (!words) return;
    words.forEach((word, column) => {
      const at = word.indexOf(query);
      if (at >= 0) kinds[word === query ? 0 : at === 0 ? 1 : 2].add(models[i].vocabulary[column]);
    });
  });
  return [...new Set(kinds.flatMap((kind) => [...kind]))];
}

function usesOf(model, word) {
  const column = model.vocabulary.indexOf(word);
  if (column < 0) return null;
  const flat = model.words[column], uses = [];
  for (let i = 0; i < flat.length; i += 3) uses.push({ number: flat[i], value: flat[i + 1], rank: flat[i + 2] });
  return uses;
}

function chips(model, word) {
  const uses = usesOf(model, word);
  const who = comparing ? el("span", {}, el("span", { class: models.indexOf(model) ? "swatch second" : "swatch" }), `${model.name}: `) : "";
  if (uses === null) return el("div", { class: "uses" }, who, el("span", { class: "empty" }, "not in its vocabulary"));
  if (!uses.length) return el("div", { class: "uses" }, who, el("span", { class: "empty" }, `no ${model.noun} gives it a weight`));
  return el("div", { class: "uses" }, who, uses.map(({ number, value, rank }) =>
    el("button", { type: "button", class: "chip", onclick: () => select(models.indexOf(model), number, "search") },
      `${nameOf(model, number)} `, el("small", {}, value < 0 ? `against, ${weight(value)}` : `${ordinal(rank)} ${model.column}, ${weight(value)}`))));
}

function showMatches() {
  const query = byId("query").value.trim().toLowerCase();
  const box = byId("found");
  box.hidden = !query;
  byId("found-count").textContent = "";
  if (!query) return box.replaceChildren();
  const words = matches(query);
  byId("found-count").textContent = words.length ? `${plural(words.length, "match").replace("matchs", "matches")}` : "nothing found";
  if (!words.length) return box.replaceChildren(el("p", { class: "empty" }, `No ${models[0].column} holds “${byId("query").value.trim()}”.`));
  box.replaceChildren(...words.slice(0, MOST_HITS).map((word) =>
    el("div", { class: "hit" }, el("strong", {}, word), models.map((model) => chips(model, word)))));
  if (words.length > MOST_HITS) box.append(el("p", { class: "hint" }, `and ${count(words.length - MOST_HITS)} more: type further.`));
  return undefined;
}

function closeSearch() {
  byId("query").value = "";
  showMatches();
}

function startSearch() {
  const field = byId("query");
  byId("query-label").textContent = `Find a ${models[0].column}`;
  field.addEventListener("input", showMatches);
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest?.("input, textarea, select");
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape") {
      if (field.value) {
        closeSearch();
        field.focus();
      } else if (state.topic !== null) select(state.model, null, "keys");
    }
  });
}
