// Shared by all parts: the data, small helpers, and what is selected.
const data = JSON.parse(document.getElementById("data").textContent);
const models = data.models;
for (const model of models) model.vocabulary ??= models[0].vocabulary;
const comparing = models.length === 2;
const byId = (id) => document.getElementById(id);
const charts = []; // Each file of charts adds the functions that draw them.

// Strings become text nodes, never markup.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const replace = (id, ...children) => byId(id).replaceChildren(...children.flat());
const count = (number) => Math.round(number).toLocaleString("en");
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const degrees = (angle) => (angle === null || angle === undefined ? "no angle" : `${angle.toFixed(angle < 10 ? 1 : 0)}°`);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const weight = (value) => String(value).replace("-", "−");

function ordinal(n) {
  const ending = n % 100 > 10 && n % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th";
  return `${count(n)}${ending}`;
}

// By which words a component is told: those of largest effect, where models know it, or of largest weight.
const knowEffects = models.every((model) => model.topics.some(({ effect }) => effect.length));
let order = knowEffects ? "effect" : "top";

// A component that is against all its columns is described by what it is against.
function wordsOf(model, number, n) {
  const topic = model.topics[number];
  return (topic[order].length ? topic[order] : topic.against).slice(0, n).map(([column]) => model.vocabulary[column]);
}

const nameOf = (model, number) => `${capital(model.noun)} ${number + 1}`;
const nearest = (topic) => (topic.near.length ? topic.near[0][1] : null);
const isDouble = (topic) => nearest(topic) !== null && nearest(topic) < data.degrees;
const doublesOf = (topic) => topic.near.filter(([, angle]) => angle < data.degrees);

function doubleMark(topic) {
  if (!isDouble(topic)) return null;
  const [other, angle] = topic.near[0];
  return el("em", { class: "mark", title: `near-duplicate: ${degrees(angle)} from ${other + 1}` }, `≈ ${other + 1}`);
}

const state = { model: 0, topic: null };
const listeners = [];
const whenSelected = (listener) => listeners.push(listener);

function select(model, topic, source) {
  const moved = model !== state.model;
  Object.assign(state, { model, topic });
  for (const listener of listeners) listener({ moved, source });
}
