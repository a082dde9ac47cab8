// The list of components and the panel that tells of one.
const FIRST_WORDS = 15;
let allWords = false;

function drawList() {
  const model = models[state.model];
  byId("list-title").textContent = plural(model.topics.length, model.noun);
  replace("list", model.topics.map((topic, number) =>
    el("li", { role: "option", id: `option-${number}`, "aria-selected": String(number === state.topic) },
      el("span", { class: "number" }, String(number + 1)),
      el("span", {}, topic.x === null && !topic.top.length ? "all zeros" : wordsOf(model, number, 4).join(", "), " ", doubleMark(topic)))));
}

function markSelected() {
  const list = byId("list");
  for (const option of list.querySelectorAll('[aria-selected="true"]')) option.setAttribute("aria-selected", "false");
  const option = state.topic === null ? null : byId(`option-${state.topic}`);
  if (!option) return list.removeAttribute("aria-activedescendant");
  option.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", option.id);
  const above = option.offsetTop < list.scrollTop, below = option.offsetTop + option.offsetHeight > list.scrollTop + list.clientHeight;
  if (above || below) list.scrollTop = option.offsetTop - list.clientHeight / 3; // the list scrolls, the page does not
  return undefined;
}

function listKeys(event) {
  const last = models[state.model].topics.length - 1, now = state.topic;
  const goal = {
    ArrowDown: now === null ? 0 : Math.min(now + 1, last), ArrowUp: now === null ? last : Math.max(now - 1, 0),
    PageDown: Math.min((now ?? 0) + 10, last), PageUp: Math.max((now ?? 0) - 10, 0), Home: 0, End: last,
  }[event.key];
  if (goal === undefined) return;
  event.preventDefault();
  select(state.model, goal, "keys");
}

function wordTable(model, pairs, against) {
  const largest = Math.abs(pairs[0][1]);
  return el("table", { class: "words" }, el("tbody", {}, pairs.map(([column, value]) => {
    const bar = el("i");
    bar.style.width = `${Math.max(1, (100 * Math.abs(value)) / largest)}%`;
    return el("tr", {}, el("th", { scope: "row" }, model.vocabulary[column]),
      el("td", {}, el("div", { class: against ? "bar against" : "bar" }, el("div", {}, bar), el("span", {}, weight(value)))));
  })));
}

function topicButton(model, number, source, n = 3) {
  const which = models.indexOf(model);
  return el("button", { type: "button", class: "link", onclick: () => select(which, number, source) },
    `${number + 1} ${wordsOf(model, number, n).join(", ")}`);
}

function neighbours(model, topic) {
  if (!topic.near.length) return el("p", { class: "empty" }, topic.x === null ? "All zeros, or the same in all documents: it has no direction." : "There is no other.");
  return el("ul", { class: "neighbours" }, topic.near.map(([other, angle, opposite]) =>
    el("li", {}, el("b", {}, degrees(angle)), el("span", {}, topicButton(model, other, "panel"), " ",
      angle < data.degrees ? el("em", { class: "mark" }, "near-duplicate") : null, opposite && angle < 85 ? el("small", {}, " opposite sign") : null))));
}

function examples(model, topic) {
  if (!topic.examples.length) return el("p", { class: "empty" }, model.without_examples);
  return el("ul", { class: "examples" }, topic.examples.map(([number, value]) => {
    const [name, beginning, label] = model.documents[number];
    return el("li", {}, el("strong", {}, name), label ? ` · ${label}` : "", ` · value ${weight(value)}`, beginning ? el("p", {}, beginning) : null);
  }));
}

function about(model, topic) {
  const parts = [];
  if (topic.usage !== null) parts.push(`on in about ${count(topic.usage)} of ${plural(model.n_documents, "document")}`);
  parts.push(`length ${weight(topic.length)}`);
  return capital(parts.join(", "));
}

function drawPanel() {
  const model = models[state.model];
  if (state.topic === null) {
    replace("panel", el("h3", {}, `Choose a ${model.noun}`), el("p", { class: "lead" },
      `Click one on the map, or go to the list and use the arrow keys: its ${model.column}s, nearest ${model.noun}s and example documents appear here.`));
    return;
  }
  const topic = model.topics[state.topic];
  const words = topic[order], shown = allWords ? words : words.slice(0, FIRST_WORDS);
  const more = words.length > FIRST_WORDS ? el("button", { type: "button", class: "quiet", "aria-expanded": String(allWords), onclick: () => {
    allWords = !allWords;
    drawPanel();
  } }, allWords ? "Fewer" : `All ${words.length}`) : null;
  replace("panel",
    el("h3", {}, nameOf(model, state.topic), " ", doubleMark(topic)),
    el("p", { class: "lead" }, about(model, topic)),
    el("h4", {}, order === "top" ? `${capital(model.column)}s of largest weight` : `${capital(model.column)}s of largest effect, in percent of the largest of all`),
    shown.length ? wordTable(model, shown, false) : el("p", { class: "empty" }, "No weight is above zero."), more ?? "",
    topic.against.length ? [el("h4", {}, "Weighs against"), wordTable(model, topic.against, true)] : [],
    el("h4", {}, `Nearest ${model.noun}s`), neighbours(model, topic),
    el("h4", {}, "Documents it is strongest in"), examples(model, topic));
  byId("panel").scrollTop = 0;
}

// A choice of two, as a group of radio buttons: arrow keys move and choose.
function drawSwitch(id, labels, chosen, choose) {
  byId(id).hidden = false;
  replace(id, labels.map((label, i) => el("button", {
    type: "button", role: "radio", "aria-checked": String(i === chosen), tabindex: i === chosen ? "0" : "-1",
    onclick: () => choose(i),
    onkeydown: (event) => {
      if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
      event.preventDefault();
      choose(1 - chosen);
      byId(id).querySelector('[aria-checked="true"]').focus();
    },
  }, label)));
}

function drawModelSwitch() {
  if (!comparing) return;
  const labels = models.map((model, i) => [el("span", { class: i ? "swatch second" : "swatch" }), model.name]);
  drawSwitch("switch", labels, state.model, (i) => select(i, null, "switch"));
}

function drawOrderSwitch() {
  if (!knowEffects) return;
  byId("order-choice").hidden = false;
  byId("order-label").textContent = `${capital(models[0].column)}s by`;
  drawSwitch("order", ["largest effect", "largest weight"], order === "top" ? 1 : 0, (i) => {
    order = i ? "top" : "effect";
    drawOrderSwitch();
    drawList();
    drawPanel();
    drawMap();
    drawCompare();
  });
}

function startTopics() {
  const list = byId("list");
  list.addEventListener("keydown", listKeys);
  list.addEventListener("focus", () => {
    if (state.topic === null && list.matches(":focus-visible")) select(state.model, 0, "keys");
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option) select(state.model, Number(option.id.slice("option-".length)), "list");
  });
  whenSelected(({ moved, source }) => {
    if (moved) {
      drawModelSwitch();
      drawList();
    }
    markSelected();
    drawPanel();
    drawMap();
    if (state.topic === null || source === "keys" || source === "start") return;
    if (["search", "compare"].includes(source)) byId("explore").scrollIntoView();
    else if (narrow.matches) byId("panel").scrollIntoView({ block: "nearest" });
  });
  drawModelSwitch();
  drawOrderSwitch();
  drawList();
  drawPanel();
}
