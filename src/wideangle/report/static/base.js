// Shared by all parts: the data, small helpers, and the sections that make up the page.
window.addEventListener("unhandledrejection", ({ reason }) => {
  const loading = document.getElementById("loading");
  if (loading) loading.textContent = `This page could not be drawn: ${reason?.message ?? reason}`;
});

// Title and "Loading …" are seen before the data is read, which takes a while. A frame out of sight paints nothing, and is not waited for.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 100);
});
const data = JSON.parse(document.getElementById("data").textContent);
const models = data.models;
const comparing = models.length === 2;
const byId = (id) => document.getElementById(id);
const NONE = 65535; // in arrays of uint16: no document, no leaf

// Each file of a section adds {id, draw}, and `when`: "early" for what is drawn before the page is called usable, "late" for what is not
// seen at first. main.js calls them.
const sections = [];

// Strings become text nodes, never markup.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return node;
}

// A button, and a small remark behind a name.
const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);
const remark = (text, attributes = {}) => el("small", attributes, ` ${text}`);

const replace = (id, ...children) => byId(id).replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
const inEnglish = new Intl.NumberFormat("en"); // Making one takes longer than formatting a thousand numbers.
const count = (number) => inEnglish.format(Math.round(number));
const plural = (number, noun, many = `${noun}s`) => `${count(number)} ${number === 1 ? noun : many}`;
const thing = data.noun ?? "document"; // "document", "row" or "picture"
const things = (number) => plural(number, thing);
const degrees = (angle) => (Number.isFinite(angle) ? `${angle.toFixed(angle < 10 && angle % 1 ? 1 : 0)}°` : "no angle");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  return `${share < 10 && share > 0 ? share.toFixed(1) : Math.round(share)}%`;
}

function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Arrays of numbers are decoded when they are first asked for.
const decoded = new Map();
function numbers(text, Type) {
  if (text === null || text === undefined) return null;
  if (!decoded.has(Type)) decoded.set(Type, new Map());
  const known = decoded.get(Type);
  if (!known.has(text)) {
    const bytes = bytesOf(text);
    known.set(text, new Type(bytes.buffer, 0, Math.floor(bytes.length / Type.BYTES_PER_ELEMENT)));
  }
  return known.get(text);
}

// A name that may be broken after its dots and slashes.
const breakable = (name) => name.split(/(?<=[./\\_:])(?=[^./\\_:])/).flatMap((part, k) => (k ? [el("wbr"), part] : [part]));

// The shape and the colour of a model, the same everywhere: a blue circle, a vermilion diamond.
const shapeOf = (i) => el("span", { class: i ? "shape second" : "shape", "aria-hidden": "true" });

// What a screen reader says of a selection or a search.
function say(text) {
  byId("status").textContent = text;
}

// One of several choices, as a group of radio buttons: arrow keys move and choose.
function drawSwitch(box, labels, chosen, choose) {
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const had = box.contains(document.activeElement);
  box.hidden = false;
  box.replaceChildren(...labels.map((label, i) => el("button", {
    type: "button", role: "radio", "aria-checked": String(i === chosen), tabindex: i === chosen ? "0" : "-1",
    onclick: () => choose(i),
    onkeydown: (event) => {
      if (!(event.key in step)) return;
      event.preventDefault();
      choose((chosen + step[event.key] + labels.length) % labels.length);
    },
  }, label)));
  if (had) box.querySelector('[aria-checked="true"]').focus();
}
