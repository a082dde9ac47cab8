// A lasso: draw around documents on the map, see what they are, and take them along as a table.
const MOST_CORNERS = 60;
const LISTED = 100; // documents of the selection that are listed at first
let drawing = null; // corners on the canvas while a line is drawn
let lassoReady = false; // the next stroke draws rather than moves the map

// Corners as they are in the address: whole thousandths of the map, from 0 to 999.
function checkedLasso(text) {
  const whole = typeof text === "string" ? text.split(".").map(Number) : [];
  const fine = whole.length >= 6 && whole.length % 2 === 0 && whole.length <= 2 * MOST_CORNERS && whole.every((value) => Number.isInteger(value) && value >= 0 && value <= 999);
  return fine && hasMap() ? whole.join(".") : null;
}

function cornersOf(text) {
  const values = text.split(".").map((value) => (2 * Number(value)) / 999 - 1);
  return Array.from({ length: values.length / 2 }, (_, k) => [values[2 * k], values[2 * k + 1]]);
}

// Whether a place lies within corners: how often a ray from it crosses the line.
function isWithin([x, y], corners) {
  let within = false;
  for (let k = 0, before = corners.length - 1; k < corners.length; before = k++) {
    const [ax, ay] = corners[k], [bx, by] = corners[before];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  }
  return within;
}

let lassoKnown = { text: null, within: null };
function lassoSet() {
  if (lassoKnown.text !== state.lasso) {
    const corners = cornersOf(state.lasso);
    lassoKnown = { text: state.lasso, within: Array.from(points().x, (x, d) => isWithin([x, points().y[d]], corners)) };
  }
  return lassoKnown.within;
}
const inLasso = (d) => lassoSet()[d];
const lassoed = () => (state.lasso === null ? [] : lassoSet().flatMap((within, d) => (within ? [d] : [])));

function setLassoReady(ready) {
  lassoReady = ready;
  canvas.classList.toggle("drawing", ready);
  byId("lasso").setAttribute("aria-pressed", String(ready));
}

const lassoButton = () => button({ class: "quiet", id: "lasso", "aria-pressed": "false", title: "Draw a line around documents (or hold Shift and drag)",
  onclick: () => setLassoReady(!lassoReady) }, "Lasso");

// Corners that are evenly spread along the line that was drawn.
function fewCorners(line) {
  const every = Math.max(1, line.length / MOST_CORNERS);
  return Array.from({ length: Math.min(line.length, MOST_CORNERS) }, (_, k) => line[Math.floor(k * every)]);
}

const lassoPencil = {
  begins: (event) => lassoReady || (event.shiftKey && event.pointerType === "mouse"),
  isDrawing: () => drawing !== null,
  draw(place) {
    drawing ??= [];
    const last = drawing.at(-1);
    if (!last || Math.hypot(place[0] - last[0], place[1] - last[1]) > 3) drawing.push(place);
    pointOut(null);
    drawMap();
  },
  end(whole) {
    const line = drawing;
    drawing = null;
    setLassoReady(false);
    if (whole && line.length > 4) {
      const thousandth = (value) => clamp(Math.round(((value + 1) / 2) * 999), 0, 999);
      select({ lasso: fewCorners(line).flatMap((place) => fromScreen(...place).map(thousandth)).join(".") });
    }
    drawMap();
  },
};

function paintLasso(pen) {
  const corners = drawing ?? (state.lasso === null ? null : cornersOf(state.lasso).map((place) => toScreen(...place)));
  if (!corners || corners.length < 2) return;
  const now = colours();
  pen.beginPath();
  corners.forEach((place) => pen.lineTo(...place));
  pen.closePath();
  for (const [width, style, dash] of [[4, now.card, []], [1.8, now.ink, [6, 4]]]) {
    pen.lineWidth = width;
    pen.strokeStyle = style;
    pen.setLineDash(dash);
    pen.stroke();
  }
  pen.setLineDash([]);
}

// One line per document, as RFC 4180 has it; the mark at its start lets spreadsheets read the letters of all languages.
function csvOf(documents) {
  const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const row = (d) => {
    const node = topicOfDocument(state.model, d), group = classOfDocument(d);
    return [nameOfDocument(d), titleOfDocument(d) ?? "", node === null ? "" : nameOfTopic(state.model, node), ...(data.classes ? [group === null ? "" : data.classes[group].name] : [])];
  };
  const lines = [["name", "title", "topic", ...(data.classes ? ["class"] : [])], ...documents.map(row)];
  return `\ufeff${lines.map((line) => line.map((value) => cell(String(value))).join(",")).join("\r\n")}\r\n`;
}

function saveCsv(documents) {
  const address = URL.createObjectURL(new Blob([csvOf(documents)], { type: "text/csv;charset=utf-8" }));
  el("a", { href: address, download: "selection.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say(`${plural(documents.length, "document")} saved`);
}

function lassoParts() {
  const own = lassoed(), rows = topicsOfClass(state.model, own);
  const row = (d) => {
    const title = titleOfDocument(d), node = topicOfDocument(state.model, d);
    return el("li", {}, documentButton(d), title && title !== nameOfDocument(d) ? remark(title) : "", node === null ? "" : remark(nameOfTopic(state.model, node)));
  };
  const list = el("ul", { class: "plain picked" }, own.slice(0, LISTED).map(row));
  const rest = button({ class: "quiet", onclick: () => {
    list.replaceChildren(...own.map(row));
    list.querySelectorAll("button")[LISTED].focus();
    rest.remove();
  } }, `List the other ${count(own.length - LISTED)} too`);
  return [
    el("h3", {}, `${plural(own.length, "document")} in the selection`),
    own.length ? button({ class: "quiet", id: "save-csv", onclick: () => saveCsv(own) }, "Save as CSV") : el("p", { class: "lead" }, "No document lies within the line."),
    rows.length ? [el("h4", {}, `Their ${plural(rows.length, "topic")}`), shareRows(rows.slice(0, 8).map(([node, n]) => [topicButton(state.model, node), n]), own.length)] : "",
    own.length ? [el("h4", {}, "Documents"), list, own.length > LISTED ? rest : ""] : "",
  ];
}
