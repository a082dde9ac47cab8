// What the panel tells of a document.
const FIRST_CHARACTERS = 2500;
let wholeText = null; // the document that is shown to its end

function wordsToMark(i, node) {
  return node === null || data.column !== "word" ? [] : rankedWords(i, node).slice(0, 25).map(({ column }) => nameOfColumn(column));
}

function textBlock(d, words) {
  const text = textOfDocument(d);
  if (!text) return el("p", { class: "empty" }, "Its text did not come with the model.");
  const whole = wholeText === d || text.length <= FIRST_CHARACTERS;
  const block = el("p", { class: "text" }, marked(whole ? text : text.slice(0, FIRST_CHARACTERS), words), whole ? "" : " … ");
  if (!whole) {
    block.append(el("button", { type: "button", class: "link", onclick: () => {
      wholeText = d;
      block.replaceChildren(...marked(text, words));
    } }, "Show all of it"));
  }
  return block;
}

function nearestBlock(i, d) {
  const near = nearestDocuments(i, d);
  if (!near) return [];
  const own = classOfDocument(d), same = near.filter((other) => own !== null && classOfDocument(other) === own).length;
  return [
    el("h4", {}, comparing ? [shapeOf(i), `Nearest in ${models[i].name}`] : "Nearest documents",
      own === null || !near.length ? "" : el("small", {}, ` ${same} of ${near.length} of its class`)),
    near.length ? el("ul", { class: "plain" }, near.map((other) => {
      const group = classOfDocument(other);
      const said = group === null ? "" : group === own ? remark(`✓ ${data.classes[group].name}`, { class: "same" }) : remark(data.classes[group].name);
      return el("li", {}, documentButton(other), said);
    })) : el("p", { class: "empty" }, "There is no other."),
  ];
}

function documentParts(d) {
  const i = state.model, node = topicOfDocument(i, d), group = classOfDocument(d), title = titleOfDocument(d);
  const { topics } = models[i];
  return [
    el("h3", {}, breakable(nameOfDocument(d))),
    title && title !== nameOfDocument(d) ? el("p", { class: "lead" }, title) : "",
    el("dl", { class: "about" },
      group === null ? "" : [el("dt", {}, "Class"), el("dd", {}, classButton(group))],
      topics ? [el("dt", {}, "Topic"), el("dd", {}, node === null ? "none: it has no words" : topicButton(i, node))] : "",
      isHeldOut(d) ? [el("dt", {}, "Held out"), el("dd", {}, "the model was not fitted on it")] : ""),
    textBlock(d, wordsToMark(i, node)),
    models.map((_, k) => nearestBlock(k, d)),
  ];
}
