// What changed from one model to the other, class by class: a line from a blue circle to a vermilion diamond.
// Of one model: the precision of each class, a circle.
const FEW_CLASSES = 20; // as many are shown at once
const BEST = 12, WORST = 6; // of more classes, these at both ends
const NAMES_TOLD = 12; // in a sentence
const precisionsOf = (row) => row.precision.filter((value) => value !== null);
const bothKnown = (row) => comparing && precisionsOf(row).length === 2;
const signOf = (i) => el("span", { class: "sign" }, shapeOf(i), models[i].name); // shape and name of a model, on one line
const changeState = { order: 0, all: false };

function changeTitle() {
  if (!comparing) return data.change ? "Classes and angles" : "Angles between components";
  const [before, after] = models;
  if (!before.diversity && after.diversity) return "What the regulariser changed";
  return `What changed from ${before.name} to ${after.name}`;
}

// Two digits, or as many as it takes to see that two values differ. A gain is that of the digits shown, so that they add up.
function stepOf([before, after]) {
  const digits = [2, 3, 4].find((n) => before.toFixed(n) !== after.toFixed(n)) ?? 2;
  const texts = [before.toFixed(digits), after.toFixed(digits)];
  const gain = Number((texts[1] - texts[0]).toFixed(digits));
  return { texts, gain, text: `${gain > 0 ? "+" : gain < 0 ? "−" : ""}${Math.abs(gain).toFixed(digits)}` };
}

const gainText = (row) => stepOf(row.precision).text;

// Tenths around all precisions, so that the marks use the width they have; at least two, and within 0 and 1.
function precisionScale(rows) {
  const values = rows.flatMap(precisionsOf);
  let low = Math.floor(Math.min(...values) * 10 + 1e-9), high = Math.ceil(Math.max(...values) * 10 - 1e-9);
  if (high - low < 2) [low, high] = low > 0 ? [Math.min(low - 1, 8), Math.max(Math.min(low - 1, 8) + 2, high)] : [0, 2];
  const step = high - low > 5 ? 2 : 1;
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick / 10);
  return { place: (value) => `${((100 * (10 * value - low)) / (high - low)).toFixed(2)}%`, ticks };
}

function svgEl(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Places are percentages, so that nothing is drawn anew when the window changes.
function precisionTrack(row, scale) {
  const grid = scale.ticks.map((tick) => svgEl("line", { class: "rule", x1: scale.place(tick), x2: scale.place(tick), y1: 0, y2: "100%" }));
  const [before, after] = row.precision.map((value) => (value === null ? null : scale.place(value)));
  const marks = [];
  if (bothKnown(row)) marks.push(svgEl("line", { class: "join", x1: before, x2: after, y1: "50%", y2: "50%" }));
  const hidden = bothKnown(row) && stepOf(row.precision).gain === 0; // A diamond at the same place would cover the circle.
  if (before !== null) marks.push(svgEl("circle", { class: "before", cx: before, cy: "50%", r: hidden ? 9 : 6 }));
  if (comparing && after !== null) {
    marks.push(svgEl("svg", { x: after, y: "50%", overflow: "visible" }, svgEl("path", { class: "after", d: "M0-7.5 7.5 0 0 7.5-7.5 0z" })));
  }
  return svgEl("svg", { class: "track", "aria-hidden": "true", focusable: "false" }, ...grid, ...marks);
}

// How sure a difference is, in a word and in whole: a class of eight documents seldom tells.
const VERDICTS = { better: "better", worse: "worse", unchanged: "unchanged", unclear: "not clear" };

function verdictText({ word, p_value: p, gained, lost }) {
  if (word === "unchanged") return "unchanged: no document finds more or fewer of its class";
  const sure = word === "unclear" ? "" : ` (p ${p < 0.001 ? "< 0.001" : `= ${Number(p.toPrecision(2))}`})`;
  return `${word === "unclear" ? "no clear difference" : word}: ${plural(gained, "document")} gained and ${count(lost)} lost${sure}`;
}

function verdictMark(row) {
  return row.verdict ? el("span", { class: `verdict ${row.verdict.word}` }, VERDICTS[row.verdict.word]) : el("span", { class: "verdict" });
}

function precisionText(row) {
  if (!comparing) return row.precision[0] === null ? "–" : row.precision[0].toFixed(2);
  return bothKnown(row) ? gainText(row) : "–";
}

function valueTexts(row) {
  return bothKnown(row) ? stepOf(row.precision).texts : row.precision.map((value) => (value === null ? "–" : value.toFixed(2)));
}

function spokenRow(row) {
  const each = valueTexts(row).map((text, i) => `${row.precision[i] === null ? "not asked" : text}${comparing ? ` in ${models[i].name}` : ""}`);
  return `${row.name}, ${plural(row.size, "document")}: precision ${each.join(", ")}${bothKnown(row) ? `, ${gainText(row)}` : ""}`
    + (row.verdict ? `, ${verdictText(row.verdict)}` : "");
}

const nameOfClass = (row) => row.name ?? data.classes[row.class].name;

function showClass(number) {
  const again = state.class === number;
  select(again ? { class: null } : { class: number, topic: null, document: null, tab: "map" });
  if (!again) byId("map").scrollIntoView({ block: "start", behavior: stillness.matches ? "auto" : "smooth" });
}

function classRow(row, scale) {
  const spoken = spokenRow(row);
  const inside = [
    el("span", { class: "who" }, el("span", { class: "name" }, row.name), " ", el("small", {}, count(row.size))),
    precisionTrack(row, scale), el("span", { class: "gain" }, precisionText(row)), comparing ? verdictMark(row) : "",
  ];
  const known = hasMap() && Number.isInteger(row.class);
  return el("li", {}, known
    ? el("button", {
      type: "button", class: "dumbbell", "data-class": row.class, "aria-pressed": String(state.class === row.class),
      title: `${spoken}. Click to show it on the map.`, "aria-label": spoken, onclick: () => showClass(row.class),
    }, inside)
    : el("div", { class: "dumbbell", title: spoken }, inside, el("span", { class: "unseen" }, spoken)));
}

function summaryRow(name, precision, scale, verdict = null) {
  const row = { name, precision, verdict };
  if (!precisionsOf(row).length) return null;
  const values = valueTexts(row).join(" → ");
  return el("li", {}, el("div", { class: "dumbbell summary", title: `${name}: ${values}` },
    el("span", { class: "who" }, el("span", { class: "name" }, name), " ", comparing ? el("small", {}, values) : ""),
    precisionTrack(row, scale), el("span", { class: "gain" }, precisionText(row)), comparing ? verdictMark(row) : ""));
}

// Rows without a gain stand last, whatever the order.
function orderedRows(rows) {
  const known = rows.filter((row) => precisionsOf(row).length === models.length);
  const others = rows.filter((row) => precisionsOf(row).length !== models.length);
  const bySize = (a, b) => b.size - a.size;
  if (changeState.order === 1) known.sort((a, b) => -bySize(a, b));
  else known.sort(comparing ? (a, b) => stepOf(b.precision).gain - stepOf(a.precision).gain || bySize(a, b) : bySize);
  return [...known, ...others];
}

function shownRows(rows) {
  const ordered = orderedRows(rows);
  if (changeState.all || rows.length <= FEW_CLASSES) return [ordered, []];
  const atBothEnds = comparing && changeState.order === 0;
  if (!atBothEnds) return [ordered.slice(0, BEST + WORST), []];
  const known = ordered.filter(bothKnown);
  return [known.slice(0, BEST), known.slice(-Math.min(WORST, Math.max(known.length - BEST, 0)) || known.length)];
}

function drawClassRows() {
  const { classes, all, larger, rarer } = data.change;
  const rows = classes.map((row) => ({ ...row, name: nameOfClass(row) }));
  const scale = precisionScale([...rows, { precision: all }, { precision: larger }, { precision: rarer }]);
  const [top, bottom] = shownRows(rows);
  const between = rows.length - top.length - bottom.length;
  const gap = bottom.length && between ? el("li", { class: "gap" }, `${plural(between, "class", "classes")} between`) : null;
  const axis = el("li", { class: "dumbbell axis", "aria-hidden": "true" }, el("span", { class: "who" }, el("small", {}, "class, documents")),
    el("span", { class: "ticks" }, scale.ticks.map((tick) => el("span", { style: `left: ${scale.place(tick)}` }, tick.toFixed(1)))),
    el("span", { class: "gain" }, el("small", {}, comparing ? "gain" : "precision")), comparing ? el("span", { class: "verdict" }, el("small", {}, "verdict")) : "");
  const means = [["All queries", all, data.change.verdict], ["Larger half", larger, data.change.verdict_larger], ["Rarer half", rarer, data.change.verdict_rarer]].slice(0, rows.length > 3 ? 3 : 1);
  replace("class-rows", axis, means.map(([name, precision, found]) => summaryRow(name, precision, scale, found)),
    top.map((row) => classRow(row, scale)), gap ?? "", bottom.map((row) => classRow(row, scale)));
  drawSwitch(byId("class-order"), comparing ? ["most changed", "rarest first"] : ["largest first", "rarest first"], changeState.order, (order) => {
    changeState.order = order;
    drawClassRows();
  });
  const more = byId("class-all");
  more.hidden = rows.length <= FEW_CLASSES;
  more.textContent = changeState.all ? "fewer classes" : `all ${count(rows.length)} classes`;
  more.setAttribute("aria-expanded", String(changeState.all));
}

function classesPart() {
  const { change } = data;
  const said = [data.told, ...data.lacking].filter(Boolean), lacking = said.length ? el("p", { class: "says" }, said.join(" ")) : null;
  if (!change) return el("div", { id: "by-class" }, lacking);
  return el("div", { class: "part", id: "by-class" },
    el("div", { class: "heading" }, el("h3", {}, "Precision by class"),
      el("div", { id: "class-order", class: "switch", role: "radiogroup", "aria-label": "Order of the classes" })),
    el("p", { class: "legend" }, `Precision at ${change.k}: the share of a document’s ${change.k} nearest that are of its class. `,
      change.how, comparing ? models.map((_, i) => [" ", signOf(i)]) : ""),
    change.verdict ? el("p", { class: "legend", id: "verdict-says" }, "Better and worse: the documents that gained and those that lost differ by more than chance (sign test at 5%; ",
      "for all classes together, by Holm’s correction). Few documents seldom tell. Another seed of the fits may tell otherwise.") : "",
    lacking,
    el("ol", { id: "class-rows", class: "dumbbells" }),
    el("button", { id: "class-all", type: "button", class: "quiet", "aria-controls": "class-rows", onclick: () => {
      changeState.all = !changeState.all;
      drawClassRows();
    } }));
}

function namesOf(rows) {
  const names = rows.slice(0, NAMES_TOLD).map(({ name }) => name);
  return names.join(", ") + (rows.length > names.length ? ` and ${count(rows.length - names.length)} more` : "");
}

// A square for each class of the rarer half, in the same order for both models: filled where it has a topic of its own.
function ownPart() {
  const { change } = data;
  if (!change || !change.rare || change.own.every((number) => number === null)) return null;
  const rare = change.classes.filter((row) => row.rare).map((row) => ({ ...row, name: nameOfClass(row) }));
  const lines = models.map((model, i) => {
    if (change.own[i] === null) return null;
    const squares = rare.map((row) => {
      const said = `${row.name} (${plural(row.size, "document")}): ${row.own[i] ? "a topic of its own" : "no topic of its own"}`;
      return el("li", { class: row.own[i] ? "has" : "lacks", title: said }, el("span", { class: "unseen" }, said));
    });
    return el("div", { class: i ? "own second" : "own" },
      el("p", {}, comparing ? [signOf(i), ": "] : "", el("b", {}, count(change.own[i])), ` of ${count(change.rare)}`),
      el("ul", { class: "squares", "aria-label": `Rare classes${comparing ? ` in ${model.name}` : ""}` }, squares));
  });
  const told = [];
  if (change.own.length === 2 && !change.own.includes(null)) {
    const won = rare.filter(({ own }) => own[1] && !own[0]), lost = rare.filter(({ own }) => own[0] && !own[1]);
    if (won.length) told.push(`Gained one: ${namesOf(won)}.`);
    if (lost.length) told.push(`Lost it: ${namesOf(lost)}.`);
    if (told.length && change.verdict_own?.word === "unclear") told.push("Chance alone may have done this.");
    if (!told.length) told.push(change.own[0] ? "The same classes in both models." : "None has one in either model.");
  } else {
    const which = change.own.findIndex((number) => number !== null);
    const has = rare.filter(({ own }) => own[which]);
    if (has.length) told.push(`With one: ${namesOf(has)}.`);
  }
  return el("div", { class: "part", id: "own-topics" }, el("h3", {}, "Rare classes with a topic of their own"),
    el("p", { class: "legend" }, `Filled: in some topic this class has at least half of the documents. ${change.rare === 1
      ? "The rarer half of the classes is one class." : `The ${count(change.rare)} classes of the rarer half, the larger ones first.`}`),
    lines, el("p", { class: "told" }, told.join(" ")));
}

function drawChange() {
  const section = byId("change");
  section.hidden = false;
  section.replaceChildren(
    el("h2", { id: "change-title" }, changeTitle()),
    data.change || data.duplicates ? el("p", { id: "headline" }, [data.change?.headline, data.duplicates].filter(Boolean).join(" ")) : "",
    el("div", { class: data.change ? "halves" : "halves alone" }, classesPart(), el("div", { class: "half" }, anglesPart(), ownPart())));
  if (data.change) drawClassRows();
  startMatrices();
}

whenSelected((changed) => {
  if (!changed.has("class")) return;
  for (const button of byId("change").querySelectorAll("button.dumbbell")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.class) === state.class));
  }
});

sections.push({ id: "change", when: "late", draw: drawChange });
