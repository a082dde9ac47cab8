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
      remark(`${count(a)} of ${plural(treeOf(i).nodes[node].counted ?? treeOf(i).nodes[node].size, "document")}`))));
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
  return option(() => select({ class: k, topic: null, document: null, tab: "map" }), data.classes[k].name, remark(things(data.classes[k].size)));
}

function documentOption(d, words) {
  const held = classOfDocument(d), title = titleOfDocument(d), name = nameOfDocument(d);
  return option(() => select({ document: d, tab: "map" }), el("strong", {}, marked(title || name, words)), title && title !== name ? remark(name) : "",
    held === null ? "" : el("small", {}, ` ${data.classes[held].name}`), el("span", { class: "excerpt" }, marked(passage(textOfDocument(d), words), words)));
}

// All documents that have the words, as a list and on the map; Enter does this too.
function allOption(typed, found) {
  if (!found.hits.length && !found.related.hits.length && !data.served) return "";
  const total = data.served ? "Search all documents for" : found.hits.length ? `Show ${plural(found.hits.length, "document")} with` : "Show documents with words related to";
  return option(() => showResults(typed), el("strong", {}, `${total} “${typed}”`), el("small", { "aria-hidden": "true" }, " ↵"));
}

function showResults(typed) {
  select({ query: typed, document: null, topic: null, class: null, tab: "map" });
}

function drawFound(query, answer) {
  const words = findWords(query), topics = findTopics(query), classes = findClasses(query), found = searched(query);
  const names = findNames(query).filter((d) => !found.hits.includes(d));
  const M = MOST_FOUND;
  options = [];
  current = -1;
  const parts = [
    allOption(query, found),
    group(`${capital(data.column)}s`, words.slice(0, M.words).flatMap(wordOptions), words.length, M.words),
    group("Topics", topics.slice(0, M.topics).map(topicOption), topics.length, M.topics),
    group("Components", unitOptions(query), 0, 0),
    group("Classes", classes.slice(0, M.classes).map(classOption), classes.length, M.classes),
    group(`${capital(thing)}s by name`, names.slice(0, M.names).map((d) => documentOption(d, [query])), names.length, M.names),
    group("Documents", found.hits.slice(0, M.documents).map((d) => documentOption(d, found.words)), found.hits.length, M.documents),
    answer ? answerParts(answer) : "",
  ].flat().filter(Boolean);
  const numbersFound = [[words, data.column], [topics, "topic"], [classes, "class", "classes"], [[...found.hits, ...names], "document"]];
  const total = numbersFound.reduce((sum, [list]) => sum + list.length, 0);
  if (!options.length && !data.served) parts.push(el("p", { class: "empty" }, `Nothing holds “${byId("query").value.trim()}”.`));
  if (hasMap() && data.search && (!data.served || !textsKnown)) parts.push(...notesOf(query, found).map((note) => el("p", { class: "hint" }, note)));
  replace("found", parts);
  say(total ? `${plural(total, "result")}: ${numbersFound.map(([list, ...names]) => plural(list.length, ...names)).join(", ")}` : "Nothing found");
}

// What a served page answers: documents near in meaning, whether they hold the words or not.
function answerParts(answer) {
  if (answer.error) return el("p", { class: "empty" }, answer.error);
  const rows = (answer.hits ?? []).slice(0, 8).map(({ name, title, text, label, topic, shown, others }) => option(() => {
    if (Number.isInteger(shown)) select({ document: shown, tab: "map" });
    else if (Number.isInteger(topic)) goTopic(followedTopic(state.model, topic, levelOf(state.model)));
  }, el("strong", {}, title || name || ""), (label ?? "") === "" ? "" : remark(label), others ? remark(`+${count(others)} like it`) : "", el("span", { class: "excerpt" }, String(text ?? "").slice(0, 110))));
  const unknown = answer.unknown?.length ? el("p", { class: "hint" }, `Not known to the model: ${answer.unknown.join(", ")}.`) : "";
  return [group("Nearest in meaning", rows, rows.length, 8), unknown];
}

// The words of a query say what is wanted: a search is finer than the slider by the share by which it is finer than the model.
function granularityAsked() {
  const i = state.model;
  return isMoved(i) ? `&granularity=${Number((sliderOf(i).query_share * granularityOf(i)).toFixed(4))}` : "";
}

async function ask(query, question) {
  try {
    const reply = await fetch(`search?q=${encodeURIComponent(query)}&model=${state.model}${granularityAsked()}`);
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

// The slider was moved: what was found stays until the server answers anew.
function findAgain() {
  const typed = byId("query").value.trim(), question = ++asking;
  if (byId("found").hidden || !typed) return;
  clearTimeout(typing);
  if (data.served) typing = setTimeout(() => ask(typed, question), 100);
  else drawFound(typed.toLowerCase(), null);
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
  when: "early",
  draw() {
    const field = byId("query");
    const what = [data.vocabulary?.length && `${data.column}s`, models.some(({ topics }) => topics) ? "topics" : "components", hasMap() && `${thing}s`, data.classes && "classes"];
    fitPlaceholder(field, what.filter(Boolean));
    field.addEventListener("input", showFound);
    field.addEventListener("focus", showFound);
    field.addEventListener("keydown", searchKeys);
    byId("found").addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus until the click
    // What was found stays in sight while the slider from broad to fine is moved.
    field.addEventListener("blur", ({ relatedTarget }) => relatedTarget?.id === "granularity" || closeFound());
    byId("broad-fine").addEventListener("focusout", ({ relatedTarget }) => relatedTarget === field || closeFound());
    byId("broad-fine").addEventListener("keydown", (event) => event.key === "Escape" && !byId("found").hidden && searchKeys(event));
    document.addEventListener("keydown", pageKeys);
    whenTexts(() => byId("found").hidden || showFound());
    whenSelected((changed) => changed.has("granularity") && findAgain());
  },
});
