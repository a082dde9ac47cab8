// What is selected, who is told of it, and how it stands in the address.
//
//   select({ topic: 12 })             choose; the listeners are told, and Back leads to what was before
//   select({ level: 30 }, "replace")  the same for sliders, which would fill the history
//   whenSelected((changed) => ...)    `changed` is the set of the names that changed
//
// model, topic (a node of the tree), document, class and component count from 0 here, and from 1 in the address.
const NUMBERS = ["model", "level", "topic", "document", "class", "component"];
const START = {
  model: 0, level: null, topic: null, document: null, class: null, component: null, // `level` null: as many topics as chosen
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
  wanted.model = within(wanted.model, models.length) ?? 0;
  const leaves = (nodesOf(wanted.model) + 1) / 2;
  wanted.level = Number.isInteger(wanted.level) && leaves >= 1 ? clamp(wanted.level, Math.min(2, leaves), leaves) : null;
  wanted.topic = within(wanted.topic, nodesOf(wanted.model));
  wanted.document = hasDocument(wanted.document) ? within(wanted.document, Infinity) : null;
  wanted.class = within(wanted.class, data.classes ? data.classes.length : 0);
  wanted.component = within(wanted.component, models[wanted.model].components);
  wanted.exclusive = clamp(Number(wanted.exclusive) || 0, 0, 100);
  for (const [name, choices] of Object.entries(CHOICES)) if (!choices.includes(wanted[name])) wanted[name] = START[name];
  return wanted;
}

function asAddress() {
  const parts = [];
  for (const name of Object.keys(START)) {
    if (state[name] === START[name] || name === "tab") continue;
    const fromOne = NUMBERS.includes(name) && name !== "level";
    parts.push(`${name}=${fromOne ? state[name] + 1 : state[name]}`);
  }
  return `#${parts.join("&")}`;
}

function fromAddress(hash) {
  const wanted = { ...START, tab: state.tab };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value = ""] = part.split("=");
    if (!(name in START)) continue;
    if (name === "level" || name === "exclusive") wanted[name] = Number(value);
    else wanted[name] = NUMBERS.includes(name) ? Number(value) - 1 : value;
  }
  return checked(wanted);
}

// In a notebook's frame the history may be refused: then the page works without addresses.
function writeAddress(how) {
  const address = asAddress();
  try {
    if (address === (location.hash || "#")) return;
    history[how === "replace" ? "replaceState" : "pushState"](null, "", address);
  } catch {
    // no history here
  }
}

function apply(wanted) {
  const changed = new Set(Object.keys(START).filter((name) => wanted[name] !== state[name]));
  Object.assign(state, wanted);
  if (changed.size) for (const listener of selectionListeners) listener(changed);
  return changed;
}

function select(changes, how = "push") {
  const wanted = { ...state, ...changes };
  // The other model has other topics and other components.
  if (wanted.model !== state.model) for (const name of ["topic", "component", "level"]) if (!(name in changes)) wanted[name] = null;
  // A topic takes the place of a class and the other way round, and both that of a document, unless all are given.
  for (const [name, other] of [["topic", "class"], ["class", "topic"]]) {
    if (!Number.isInteger(changes[name])) continue;
    for (const gone of [other, "document"]) if (!(gone in changes)) wanted[gone] = null;
  }
  const changed = apply(checked(wanted));
  changed.delete("tab");
  if (changed.size) writeAddress(how);
}

function startState() {
  Object.assign(state, fromAddress(location.hash));
  window.addEventListener("popstate", () => apply(fromAddress(location.hash)));
}
