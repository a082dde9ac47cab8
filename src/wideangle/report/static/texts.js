// Names, titles and texts of documents. They are unpacked after the page is drawn; until then "…" stands for them.
let texts = null;
let textsKnown = false; // whether all was unpacked that can be
const textListeners = [];
const whenTexts = (listener) => textListeners.push(listener);
const NAME = 0, TITLE = 1, TEXT = 2;

// Their block is the largest and stands behind the script, which need not wait for it.
const wholePage = () => new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve);
  else resolve();
});

async function unpackTexts() {
  await wholePage();
  if (canUnpack()) {
    const [strings, index, pixels] = await Promise.all(["texts", "index", "pixels"].map(unpacked));
    pixelsOfRows = pixels;
    texts = strings && openedTexts(strings);
    wordIndex = index && texts && openedIndex(index, texts.order);
  } else {
    byId("notice").textContent = CANNOT_UNPACK;
    byId("notice").hidden = false;
  }
  textsKnown = true;
  for (const listener of textListeners) listener();
  document.documentElement.dataset.unpacked = String(Math.round(performance.now()));
}

const stringOf = (d, field) => (texts?.known[field] ? texts.string(d, field) : "");
const nameOfDocument = (d) => stringOf(d, NAME) || (textsKnown ? `${capital(thing)} ${d + 1}` : "…");
const titleOfDocument = (d) => stringOf(d, TITLE);
const calledDocument = (d) => titleOfDocument(d) || nameOfDocument(d); // the best that it can be called
const textOfDocument = (d) => (textsKnown ? stringOf(d, TEXT) : "…");
const classesOfDocuments = () => (data.documents ? numbers(data.documents.classes, Int16Array) : null);

function classOfDocument(d) {
  const all = classesOfDocuments();
  return all && data.classes && all[d] >= 0 ? all[d] : null;
}

const isHeldOut = (d) => numbers(data.documents.held_out, Uint8Array)?.[d] === 1;

function nearestDocuments(i, d) {
  const all = numbers(models[i].nearest, Uint16Array);
  if (!all) return null;
  const width = Math.round(all.length / data.documents.shown);
  if (isMoved(i)) return textsKnown ? nearestAt(i, d, granularityOf(i), width) : null; // What it needs stands behind the script.
  return [...all.subarray(d * width, (d + 1) * width)].filter((other) => other !== NONE);
}

// Lines such as those of a mail, up to an empty one.
const HEADERS = /^(?:[A-Z][A-Za-z-]{1,30}:[^\n]*\n(?:[^\n]+\n)*)\n(?=[^]*\S)/;

// The beginning of a text without the white space of its lines, without headers, and without the title that is shown above it.
function beginningOf(d, length = 160) {
  const title = titleOfDocument(d).replace(/…$/, ""), whole = textOfDocument(d).replace(HEADERS, "").slice(0, 3 * length + title.length).replace(/\s+/g, " ").trim();
  const text = title && whole.startsWith(title) ? whole.slice(title.length).trim() : whole;
  return text.length > length ? `${text.slice(0, length).replace(/\s\S*$/, "")} …` : text;
}

// Scripts without spaces between words: the words of such texts are pairs of characters, which overlap.
const SPACELESS = "[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]";
const WITHOUT_SPACES = new RegExp(`^${SPACELESS}`, "u"), IN_WORD = `(?!${SPACELESS})[\\p{L}\\p{N}]`;

// Where some words stand in a text, as [begin, end]; words that overlap are one.
function spansOfWords(text, words) {
  const escaped = [...words].sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&"));
  const pairs = escaped.filter((word) => WITHOUT_SPACES.test(word)), others = escaped.filter((word) => !WITHOUT_SPACES.test(word));
  const kinds = [others.length ? `(?<!${IN_WORD})(?:${others.join("|")})(?!${IN_WORD})` : "", pairs.join("|")];
  const pattern = new RegExp(kinds.filter(Boolean).join("|"), "giu"), places = [];
  for (let match; (match = pattern.exec(text)); pattern.lastIndex = match.index + (match[0].codePointAt(0) > 0xffff ? 2 : 1)) {
    const last = places.at(-1), end = match.index + match[0].length;
    if (last && match.index < last[1]) last[1] = Math.max(last[1], end);
    else places.push([match.index, end]);
  }
  return places;
}

// A text with some words marked, as text nodes and <mark>.
function marked(text, words) {
  if (!words.length) return [text];
  const pieces = [];
  let end = 0;
  for (const [from, to] of spansOfWords(text, words)) {
    if (from > end) pieces.push(text.slice(end, from));
    pieces.push(el("mark", {}, text.slice(from, to)));
    end = to;
  }
  pieces.push(text.slice(end));
  return pieces;
}
