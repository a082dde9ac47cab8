// All documents that a query finds: a list in the panel, and the hits on the map.
const FIRST_RESULTS = 20, MORE_RESULTS = 100;
let resultsShown = FIRST_RESULTS;
let served = null; // what the server answered: {query, model, granularity, answer}

// {items: [{d, text, name, title, label}], related: the same of related words, words, notes}
function resultsOf(query) {
  const own = searched(query), item = (d) => ({ d });
  if (!data.served || !isAnswered(query)) return { items: own.hits.map(item), related: own.related.hits.map(item), relatedWords: own.related.words, words: own.words, notes: notesOf(query, own) };
  const { answer } = served, items = (answer.hits ?? []).map(({ shown, ...hit }) => ({ ...hit, d: Number.isInteger(shown) ? shown : null }));
  return { items, related: [], relatedWords: own.related.words, words: [...(answer.known ?? own.words)], notes: notesOfServer(answer), all: answer.more ? null : items.length };
}

const isAnswered = (query) => served !== null && served.query === query && served.model === state.model && served.granularity === granularityAsked();
const quoted = (words) => words.map((word) => `“${word}”`).join(", ");

function notesOf(query, { hits, leftOut, unknown, inTexts }) {
  const notes = [], { count: all, shown } = data.documents ?? {};
  if (!textsKnown) return ["The documents are still being unpacked …"];
  if (leftOut.length) notes.push(`Left out as ${leftOut.length === 1 ? "a stop word" : "stop words"}: ${quoted(leftOut)}.`);
  const how = data.documents?.kept ? `the first ${count(data.documents.kept)} characters of texts` : "texts";
  if (inTexts.length && wordIndex) notes.push(`Not among the model’s words, and so looked for in titles and ${how} only: ${quoted(inTexts)}.`);
  if (inTexts.length && !wordIndex) notes.push(`Looked for in titles and ${how} only, because the page has no index of words.`);
  if (unknown.length) notes.push(`In no document${wordIndex ? " that the page can search" : ""}: ${quoted(unknown)}.`);
  if (shown < all) notes.push(`Searched: the ${count(shown)} documents on this page, of ${count(all)}. “wideangle explore MODEL --serve” searches all of them.`);
  return notes;
}

function notesOfServer({ error, known, unknown, left_out: leftOut, by }) {
  if (error) return [error];
  const notes = [by === "words" ? "Ranked by words." : by === "meaning" ? "Ranked by what the model makes of the query." : "Ranked by words and by what the model makes of the query; documents without the words may be among them."];
  if (leftOut?.length) notes.push(`Left out as ${leftOut.length === 1 ? "a stop word" : "stop words"}: ${quoted(leftOut)}.`);
  if (unknown?.length) notes.push(`Not known to the model: ${quoted(unknown)}.`);
  return notes;
}

// Of each document on the map whether the query finds it; null where nothing is searched.
function foundOnMap() {
  if (state.query === null || !hasMap()) return null;
  const { items, related } = resultsOf(state.query), found = new Uint8Array(data.documents.shown);
  for (const { d } of [...items, ...related]) if (d !== null) found[d] = 1;
  return found;
}

function resultRow({ d, name, title, text, label, others }, words) {
  const group = d === null ? null : classOfDocument(d), said = d === null ? label : group === null ? "" : data.classes[group].name;
  const called = d === null ? title || name : calledDocument(d), body = d === null ? String(text ?? "") : textOfDocument(d);
  return el("li", {}, d === null ? el("strong", {}, breakable(called ?? "")) : button({ class: "link", onclick: () => select({ document: d }) }, marked(called, words)),
    said ? remark(said) : "", others ? remark(`+${count(others)} like it`) : "", el("p", {}, marked(passage(body, words), words)));
}

function resultList(items, words) {
  const list = el("ol", { class: "plain examples results" }, items.slice(0, resultsShown).map((item) => resultRow(item, words)));
  const left = items.length - resultsShown;
  const more = left > 0 ? button({ class: "quiet", onclick: () => {
    const first = resultsShown;
    resultsShown += MORE_RESULTS;
    drawPanelInPlace();
    byId("panel").querySelectorAll(".results .link, .results strong")[first]?.focus();
    say(`${count(Math.min(resultsShown, items.length))} of ${count(items.length)} results are listed`);
  } }, `Show ${count(Math.min(MORE_RESULTS, left))} more of ${count(left)}`) : "";
  return [list, more];
}

function resultsTitle(query, { items, all = items.length }) {
  return all === null ? `The best ${things(items.length)} for “${query}”` : `${things(items.length)} for “${query}”`;
}

function resultsParts(query) {
  const results = resultsOf(query), { items, related, relatedWords: near, words, notes } = results;
  return [
    el("h3", {}, resultsTitle(query, results)),
    notes.map((note) => el("p", { class: "lead" }, note)),
    near.length ? el("p", { class: "phrases related" }, el("span", { class: "hint" }, "Related in this model:"), near.map((word) =>
      button({ class: "chip", title: `Search for ${word} too`, onclick: () => select({ query: `${query} ${word}` }) }, word))) : "",
    resultList(items, words),
    related.length ? [el("h4", {}, `Without ${words.length === 1 ? "this word" : "these words"}, but with related ones`),
      el("ol", { class: "plain examples" }, related.map((item) => resultRow(item, near)))] : "",
  ];
}

// A served page asks for many more documents than the box shows.
async function askForResults() {
  const query = state.query, model = state.model, granularity = granularityAsked();
  if (!data.served || query === null || isAnswered(query)) return;
  let answer;
  try {
    answer = await (await fetch(`search?q=${encodeURIComponent(query)}&model=${model}&count=200${granularity}`)).json();
  } catch {
    answer = { error: "The server that made this page does not answer." };
  }
  if (query !== state.query || model !== state.model || granularity !== granularityAsked()) return;
  served = { query, model, granularity, answer };
  drawResults();
}

function drawResults() {
  if (state.document === null) drawPanel();
  if (hasMap()) restyle();
  const results = resultsOf(state.query);
  say(`${resultsTitle(state.query, results)}. ${results.notes.join(" ")}`);
}

sections.push({
  id: "results",
  draw() {
    byId("query").value = state.query ?? "";
    if (state.query !== null) askForResults();
    whenTexts(() => state.query !== null && drawResults());
    whenSelected((changed) => {
      if (changed.has("query")) {
        resultsShown = FIRST_RESULTS;
        byId("query").value = state.query ?? "";
      }
      if (state.query === null) return;
      if (changed.has("query")) say(resultsTitle(state.query, resultsOf(state.query)));
      if (["query", "model", "granularity"].some((name) => changed.has(name))) askForResults();
    });
  },
});
