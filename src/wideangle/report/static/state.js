// What is selected, who is told of it, and how it stands in the address.
//
//   select({ topic: 12 })             choose; the listeners are told, and Back leads to what was before
//   select({ level: 30 }, "replace")  the same for sliders, of which Back undoes all moves at once
//   whenSelected((changed) => ...)    `changed` is the set of the names that changed
//
// model, topic (a node of the tree), document, class and component count from 0 here, and from 1 in the address.
const NUMBERS = ["model", "level", "topic", "document", "class", "component"];
const START = {
  // `level` null: as many topics as the slider from broad to fine asks for
  model: data.opens ?? 0, level: null, topic: null, document: null, class: null, component: null, query: null,
  granularity: null, // null: each model's own
  at: null, // the part of the map that is seen, as "x,y,times magnified"; null: all of it, or where the document is
  lasso: null, // corners of what was drawn around documents, as "x.y.x.y…" in thousandths of the map
  colour: "topic", sort: "size", view: "list", exclusive: 60, tab: "map",
};
const state = { ...START };
const CHOICES = { colour: ["topic", "class", "found"], sort: ["size", "purity", "angle"], view: ["list", "tree"], tab: ["map", "change", "topics"] };
const selectionListeners = [];
const whenSelected = (listener) => selectionListeners.push(listener);

const hasDocument = (number) => data.documents !== null && number >= 0 && number < data.documents.shown;
const nodesOf = (model) => (models[model].topics ? models[model].topics.nodes.length : 0);

// Numbers that stand for nothing on this page become null, whoever wrote them.
function checked(wanted) {
  const within = (number, end) => (Number.isInteger(number) && number >= 0 && number < end ? number : null);
  wanted.model = within(wanted.model, models.length) ?? START.model;
  const leaves = (nodesOf(wanted.model) + 1) / 2;
  wanted.level = Number.isInteger(wanted.level) && leaves >= 1 ? clamp(wanted.level, Math.min(2, leaves), leaves) : null;
  wanted.topic = within(wanted.topic, nodesOf(wanted.model));
  wanted.document = hasDocument(wanted.document) ? within(wanted.document, Infinity) : null;
  wanted.class = within(wanted.class, data.classes ? data.classes.length : 0);
  wanted.component = within(wanted.component, models[wanted.model].components);
  wanted.granularity = checkedGranularity(wanted.granularity);
  wanted.query = typeof wanted.query === "string" && wanted.query.trim() ? wanted.query.trim().slice(0, LONGEST_QUERY) : null;
  wanted.at = checkedPlace(wanted.at);
  wanted.lasso = checkedLasso(wanted.lasso);
  if (wanted.tab === "map" && !hasMap()) wanted.tab = "topics";
  wanted.exclusive = clamp(Number(wanted.exclusive) || 0, 0, 100);
  for (const [name, choices] of Object.entries(CHOICES)) if (!choices.includes(wanted[name])) wanted[name] = START[name];
  return wanted;
}

function asAddress() {
  const parts = [];
  for (const name of Object.keys(START)) {
    if (state[name] === START[name] || (name === "tab" && !narrow.matches)) continue; // Only a phone has tabs.
    const fromOne = NUMBERS.includes(name) && name !== "level";
    parts.push(`${name}=${fromOne ? state[name] + 1 : name === "query" ? encodeURIComponent(state.query) : state[name]}`);
  }
  return `#${parts.join("&")}`;
}

// What stands after a % may be broken in an address that somebody wrote.
function fromPercents(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fromAddress(hash) {
  const wanted = { ...START, tab: narrow.matches ? START.tab : state.tab };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value = ""] = part.split("=");
    if (!(name in START)) continue;
    if (["level", "exclusive", "granularity"].includes(name)) wanted[name] = value === "" ? NaN : Number(value);
    else if (name === "query") wanted.query = fromPercents(value);
    else wanted[name] = NUMBERS.includes(name) ? Number(value) - 1 : value;
  }
  return checked(wanted);
}

// Each choice is a step for Back. A slider, a list moved through by keys, or the moving of the map is one step, however long: its
// first change makes the step, and the next ones of the same kind replace it. So Back undoes it, rather than leaving the page.
// In a notebook's frame the history may be refused: then the page works without addresses.
let lastGesture = null;
function writeAddress(gesture) {
  const address = asAddress(), again = gesture !== null && gesture === lastGesture;
  lastGesture = gesture;
  try {
    if (address === (location.hash || "#")) return;
    history[again ? "replaceState" : "pushState"](null, "", address);
  } catch {
    // no history here
  }
}

function apply(wanted) {
  const changed = new Set(Object.keys(START).filter((name) => wanted[name] !== state[name]));
  if (changed.has("granularity")) changed.add("level"); // The number of topics follows the slider.
  Object.assign(state, wanted);
  if (changed.size) keepingFocus(() => selectionListeners.forEach((listener) => listener(changed)));
  return changed;
}

// What is drawn anew may take the focus with it. It then goes to what took the place, or to the part of the page around it.
function keepingFocus(draw) {
  const focused = document.activeElement, around = [];
  for (let node = focused; node; node = node.parentElement) if (node.id) around.push(node.id);
  draw();
  const lost = document.activeElement === document.body && focused !== document.body && focused !== null;
  if (lost) around.map(byId).find((node) => node?.tabIndex >= 0 && node.getClientRects().length)?.focus({ preventScroll: true });
}

function select(changes, how = "push") {
  const wanted = { ...state, ...changes };
  // The other model has other topics and other components.
  if (wanted.model !== state.model) for (const name of ["topic", "component", "level"]) if (!(name in changes)) wanted[name] = null;
  // A topic takes the place of a class and the other way round, and both that of a document, unless all are given.
  for (const [name, other] of [["topic", "class"], ["class", "topic"]]) {
    if (!Number.isInteger(changes[name])) continue;
    for (const gone of [other, "document", "lasso"]) if (!(gone in changes)) wanted[gone] = null;
  }
  // A search or a lasso takes the place of all of them, and they that of both; a document is one of the results.
  for (const [name, other] of [["query", "lasso"], ["lasso", "query"]]) {
    if (typeof changes[name] !== "string") continue;
    for (const gone of ["topic", "class", "document", other]) if (!(gone in changes)) wanted[gone] = null;
  }
  if (Number.isInteger(changes.topic) || Number.isInteger(changes.class)) if (!("query" in changes)) wanted.query = null;
  const changed = apply(checked(wanted));
  if (!narrow.matches) changed.delete("tab");
  if (changed.size) writeAddress(how === "replace" ? Object.keys(changes)[0] : null);
}

function startState() {
  Object.assign(state, fromAddress(location.hash));
  window.addEventListener("popstate", () => {
    lastGesture = null;
    apply(fromAddress(location.hash));
  });
}
