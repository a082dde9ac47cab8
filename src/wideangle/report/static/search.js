// One search box: results in groups, moved through by arrow keys.
let options = []; // what Enter or a click on each row does
let current = -1;
let asking = 0; // number of the last question to the server

function option(act, ...children) {
  const k = options.push(act) - 1;
  return el("div", { role: "option", id: `found-${k}`, "aria-selected": "false", class: "row", onclick: () => choose(k) }, children);
}

function group(title, rows, total, most) {
  if (!rows.length) return "";
  return el("div", { role: "group", "aria-label": title }, el("div", { class: "group", "aria-hidden": "true" }, title,
    el("small", {}, total > most ? ` ${most} of ${count(total)}` : "")), rows);
}

function wordOptions(column) {
  const all = frequencies(), i = state.model, hits = topicsWithWord(i, column);
  const first = hits[0]?.[0], marks = hits.length ? `, among the ${data.column}s of ${plural(hits.length, "topic")}` : models[i].topics ? ", marks no topic" : "";
  const rows = [option(first === undefined ? () => searchFor(nameOfColumn(column)) : () => goTopic(first), el("strong", {}, nameOfColumn(column)),
    el("small", {}, all ? ` in ${plural(all[column], "document")}` : "", marks))];
  for (const [node, a] of hits.slice(0, 3)) {
    rows.push(option(() => goTopic(node), el("span", { class: "deeper" }, swatch(topicColour(i, node)), nameOfTopic(i, node),
      remark(`${count(a)} of ${plural(treeOf(i).nodes[node].size, "document")}`))));
  }
  return rows;
}

function unitOptions(query) { // models without topics: components by their words
  if (models[state.model].topics) return [];
  return (models[state.model].units ?? []).map((words, k) => [words, k]).filter(([words]) => words.some((word) => String(word).toLowerCase().includes(query)))
    .slice(0, 5).map(([words, k]) => option(() => select({ component: k, tab: "topics" }), `Component ${k + 1} `, el("small", {}, words.join(", "))));
}

// A word that marks no topic: its documents are looked for.
function searchFor(word) {
  byId("query").value = word;
  byId("query").focus();
  showFound();
}

function goTopic(node) {
  select({ topic: node, class: null, document: null });
}

function topicOption(node) {
  const i = state.model;
  return option(() => goTopic(node), swatch(topicColour(i, node)), nameOfTopic(i, node), remark(plural(treeOf(i).nodes[node].size, "document")));
}

function classOption(k) {
  return option(() => select({ class: k, topic: null, document: null, tab: "map" }), data.classes[k].name, remark(plural(data.classes[k].size, "document")));
}

function documentOption(d, query) {
  const held = classOfDocument(d);
  return option(() => select({ document: d, tab: "map" }), el("strong", {}, nameOfDocument(d)), held === null ? "" : el("small", {}, ` ${data.classes[held].name}`),
    el("span", { class: "excerpt" }, marked(excerpt(d, query), [query])));
}

function drawFound(query, answer) {
  const words = findWords(query), topics = findTopics(query), documents = findDocuments(query), classes = findClasses(query);
  const M = MOST_FOUND;
  options = [];
  current = -1;
  const parts = [
    group(`${capital(data.column)}s`, words.slice(0, M.words).flatMap(wordOptions), words.length, M.words),
    group("Topics", topics.slice(0, M.topics).map(topicOption), topics.length, M.topics),
    group("Components", unitOptions(query), 0, 0),
    group("Classes", classes.slice(0, M.classes).map(classOption), classes.length, M.classes),
    group("Documents", documents.slice(0, M.documents).map((d) => documentOption(d, query)), documents.length, M.documents),
    answer ? answerParts(answer) : "",
  ].flat().filter(Boolean);
  const numbersFound = [[words, data.column], [topics, "topic"], [classes, "class", "classes"], [documents, "document"]];
  const total = numbersFound.reduce((sum, [list]) => sum + list.length, 0);
  if (!options.length && !data.served) parts.push(el("p", { class: "empty" }, `Nothing holds “${byId("query").value.trim()}”.`));
  if (!textsKnown) parts.push(el("p", { class: "hint" }, "Documents are still being unpacked …"));
  replace("found", parts);
  say(total ? `${plural(total, "result")}: ${numbersFound.map(([list, ...names]) => plural(list.length, ...names)).join(", ")}` : "Nothing found");
}

// What a served page answers: documents near in meaning, whether they hold the words or not.
function answerParts(answer) {
  if (answer.error) return el("p", { class: "empty" }, answer.error);
  const rows = (answer.hits ?? []).slice(0, 8).map(({ name, title, text, label, topic, shown }) => option(() => {
    if (Number.isInteger(shown)) select({ document: shown, tab: "map" });
    else if (Number.isInteger(topic)) goTopic(followedTopic(state.model, topic, levelOf(state.model)));
  }, el("strong", {}, name ?? title ?? ""), (label ?? "") === "" ? "" : remark(label), el("span", { class: "excerpt" }, String(text ?? "").slice(0, 110))));
  const unknown = answer.unknown?.length ? el("p", { class: "hint" }, `Not known to the model: ${answer.unknown.join(", ")}.`) : "";
  return [group("Nearest in meaning", rows, rows.length, 8), unknown];
}

async function ask(query, question) {
  try {
    const reply = await fetch(`search?q=${encodeURIComponent(query)}&model=${state.model}`);
    const answer = await reply.json();
    if (question === asking && !byId("found").hidden) drawFound(query.toLowerCase(), answer);
  } catch {
    if (question === asking && !byId("found").hidden) drawFound(query.toLowerCase(), { error: "The server that made this page does not answer." });
  }
}

let typing = 0;
function showFound() {
  const typed = byId("query").value.trim(), field = byId("query");
  byId("found").hidden = !typed;
  field.setAttribute("aria-expanded", String(Boolean(typed)));
  field.removeAttribute("aria-activedescendant");
  clearTimeout(typing);
  asking++;
  if (!typed) return;
  drawFound(typed.toLowerCase(), null);
  const question = asking;
  if (data.served) typing = setTimeout(() => ask(typed, question), 250);
}

function closeFound() {
  byId("found").hidden = true;
  byId("query").setAttribute("aria-expanded", "false");
  byId("query").removeAttribute("aria-activedescendant");
}

function choose(k) {
  const act = options[k];
  closeFound();
  byId("query").blur();
  act();
  if (state.tab === "map" && isChosen()) byId("map").scrollIntoView({ block: "nearest" });
}

function moveTo(k) {
  const rows = byId("found").querySelectorAll('[role="option"]');
  rows[current]?.setAttribute("aria-selected", "false");
  current = (k + rows.length) % rows.length;
  rows[current].setAttribute("aria-selected", "true");
  rows[current].scrollIntoView({ block: "nearest" });
  byId("query").setAttribute("aria-activedescendant", rows[current].id);
}

function searchKeys(event) {
  if (event.key === "Escape") {
    event.stopPropagation();
    if (byId("found").hidden) byId("query").value = "";
    else closeFound();
  } else if (byId("found").hidden || !options.length) return;
  else if (event.key === "ArrowDown") moveTo(current + 1);
  else if (event.key === "ArrowUp") moveTo(current < 0 ? -1 : current - 1);
  else if (event.key === "Enter") choose(Math.max(current, 0));
  else return;
  event.preventDefault();
}

function pageKeys(event) {
  const writing = event.target.closest?.("input, textarea, select");
  if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    byId("query").focus();
    byId("query").select();
  } else if (event.key === "Escape" && isChosen()) closePanel();
}

sections.push({
  id: "search",
  early: true,
  draw() {
    const field = byId("query");
    const what = [data.vocabulary?.length && `${data.column}s`, models.some(({ topics }) => topics) ? "topics" : "components", hasMap() && "documents", data.classes && "classes"];
    field.placeholder = `Search ${what.filter(Boolean).join(", ")}`;
    field.addEventListener("input", showFound);
    field.addEventListener("focus", showFound);
    field.addEventListener("keydown", searchKeys);
    byId("found").addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus until the click
    field.addEventListener("blur", closeFound);
    document.addEventListener("keydown", pageKeys);
    whenTexts(() => byId("found").hidden || showFound());
  },
});
