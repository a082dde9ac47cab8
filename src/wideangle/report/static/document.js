// What the panel tells of a document.
const servedTexts = new Map(); // texts that the server gave, which has more of them than the page

function wordsToMark(i, node) {
  if (state.query !== null) return resultsOf(state.query).words;
  return node === null || data.column !== "word" ? [] : rankedWords(i, node).slice(0, 25).map(({ column }) => nameOfColumn(column));
}

function textBlock(d, words) {
  if (data.documents?.picture) return el("p", { class: "large" }, pictureOfRow(d));
  const text = servedTexts.get(d) ?? textOfDocument(d);
  if (!text) return el("p", { class: "empty" }, thing === "document" ? "Its text did not come with the model." : "Of a row of numbers there is no text to show.");
  if (data.served && text.endsWith("…") && textsKnown && !servedTexts.has(d)) askForText(d);
  return el("p", { class: "text", tabindex: "0", "aria-label": "Text" }, marked(text, words));
}

async function askForText(d) {
  servedTexts.set(d, textOfDocument(d)); // It is asked for once.
  try {
    const { text } = await (await fetch(`text?document=${d}`)).json();
    if (text) servedTexts.set(d, text);
    if (state.document === d) drawPanelInPlace();
  } catch {
    // What the page has of it is shown.
  }
}

// The beginning of a text below a name, and under the mouse.
function shortText(d, length = 160) {
  const words = beginningOf(d, length);
  if (data.documents?.picture) return pictureOfRow(d);
  return words && words !== "…" ? el("p", {}, words) : "";
}

const hoverText = (d) => shortText(d, 220);

function nearestBlock(i, d) {
  const near = nearestDocuments(i, d);
  if (!near) return [];
  const own = classOfDocument(d), same = near.filter((other) => own !== null && classOfDocument(other) === own).length;
  return [
    el("h4", {}, comparing ? [shapeOf(i), `Nearest in ${models[i].name}`] : `Nearest ${thing}s`,
      own === null || !near.length ? "" : el("small", {}, ` ${same} of ${near.length} of its class`)),
    near.length ? el("ul", { class: "plain examples" }, near.map((other) => {
      const group = classOfDocument(other);
      const said = group === null ? "" : group === own ? remark(`✓ ${data.classes[group].name}`, { class: "same" }) : remark(data.classes[group].name);
      return el("li", {}, documentButton(other), said, shortText(other));
    })) : el("p", { class: "empty" }, "There is no other."),
  ];
}

function documentParts(d) {
  const i = state.model, node = topicOfDocument(i, d), group = classOfDocument(d), title = titleOfDocument(d);
  const { topics } = models[i];
  return [
    el("h3", {}, breakable(calledDocument(d))),
    title && title !== nameOfDocument(d) ? el("p", { class: "lead" }, breakable(nameOfDocument(d))) : "",
    el("dl", { class: "about" },
      group === null ? "" : [el("dt", {}, "Class"), el("dd", {}, classButton(group))],
      topics ? [el("dt", {}, "Topic"), el("dd", {}, node === null ? "none: it has no words" : topicButton(i, node))] : "",
      isHeldOut(d) ? [el("dt", {}, "Held out"), el("dd", {}, "the model was not fitted on it")] : ""),
    textBlock(d, wordsToMark(i, node)),
    state.query === null ? "" : el("p", { class: "lead" }, button({ class: "link", onclick: () => select({ document: null }) }, `All results for “${state.query}”`)),
    models.map((_, k) => nearestBlock(k, d)),
  ];
}
