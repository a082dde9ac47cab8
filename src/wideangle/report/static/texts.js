// Names, titles and texts of documents. They are unpacked after the page is drawn; until then "…" stands for them.
let texts = null;
let textsKnown = false;
const textListeners = [];
const whenTexts = (listener) => textListeners.push(listener);

// Their block is the largest and stands behind the script, which need not wait for it.
const wholePage = () => new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve);
  else resolve();
});

async function unpackTexts() {
  await wholePage();
  const packed = byId("texts").textContent.trim();
  if (packed) {
    const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
    texts = await new Response(stream).json();
  }
  textsKnown = true;
  for (const listener of textListeners) listener();
  document.documentElement.dataset.unpacked = String(Math.round(performance.now()));
}

const nameOfDocument = (d) => texts?.names?.[d] || (textsKnown ? `Document ${d + 1}` : "…");
const titleOfDocument = (d) => texts?.titles?.[d] || "";
const textOfDocument = (d) => texts?.texts?.[d] ?? (textsKnown ? "" : "…");
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
  return [...all.subarray(d * width, (d + 1) * width)].filter((other) => other !== NONE);
}

// The beginning of a text without the white space of its lines.
function beginningOf(d, length = 160) {
  const text = textOfDocument(d).slice(0, 3 * length).replace(/\s+/g, " ").trim();
  return text.length > length ? `${text.slice(0, length).replace(/\s\S*$/, "")} …` : text;
}

// A text with some words marked, as text nodes and <mark>.
function marked(text, words) {
  if (!words.length) return [text];
  const escaped = [...words].sort((a, b) => b.length - a.length).map((word) => word.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(el("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  return pieces;
}
