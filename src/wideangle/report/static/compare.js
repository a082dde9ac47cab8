// Two models side by side, each component beside the one the Hungarian method gave it.
const SIDE_WORDS = 8;
const FIRST_PAIRS = 50;
let allPairs = false;

function side(model, number, shared) {
  const which = models.indexOf(model);
  const words = wordsOf(model, number, SIDE_WORDS).flatMap((word, i) => [i ? ", " : "", shared.has(word) ? el("mark", {}, word) : word]);
  return el("td", { "data-model": model.name },
    el("button", { type: "button", class: "link", "aria-label": `${nameOf(model, number)} of ${model.name}`, onclick: () => select(which, number, "compare") }, String(number + 1)),
    words, " ", doubleMark(model.topics[number]));
}

const nobody = (model) => el("td", { "data-model": model.name }, el("small", {}, "no partner"));

function pairRow({ first, second, angle, opposite }) {
  const theirs = new Set(second === null ? [] : wordsOf(models[1], second, SIDE_WORDS));
  const both = new Set((first === null ? [] : wordsOf(models[0], first, SIDE_WORDS)).filter((word) => theirs.has(word)));
  return el("tr", {},
    first === null ? nobody(models[0]) : side(models[0], first, both),
    el("td", { class: "angle" }, first === null || second === null ? "" : degrees(angle), opposite && angle !== null && angle < 85 ? el("small", {}, " opposite") : null),
    second === null ? nobody(models[1]) : side(models[1], second, both));
}

function compareSays() {
  const { pairs, shared } = data.alignment;
  if (!shared) return "The two vocabularies have no word in common, so nothing can be set side by side.";
  const known = pairs.filter(({ angle }) => angle !== null);
  const mean = known.reduce((sum, { angle }) => sum + angle, 0) / (known.length || 1);
  const close = known.filter(({ angle }) => angle < data.degrees).length;
  const doubles = models.map((model) => `${model.topics.filter(isDouble).length} in ${model.name}`).join(", ");
  const all = models.every((model) => model.vocabulary.length === shared);
  return `Each ${models[0].noun} stands beside the one of the other model that the Hungarian method pairs it with, the closest pairs first` +
    `${all ? "" : `, over the ${plural(shared, models[0].column)} that both know`}. ${close} of ${plural(known.length, "pair")} lie within ${data.degrees}°, ` +
    `and the mean angle is ${degrees(mean)}. Underlined: ${models[0].column}s that both lists hold. ` +
    `≈ marks near-duplicates within a model: ${doubles}.`;
}

function drawCompare() {
  if (!comparing) return;
  byId("compare").hidden = false;
  byId("compare-says").textContent = compareSays();
  const { pairs, left_first, left_second } = data.alignment;
  if (!pairs.length) return;
  const rows = [...pairs, ...left_first.map((first) => ({ first, second: null })), ...left_second.map((second) => ({ first: null, second }))];
  const shown = allPairs ? rows : rows.slice(0, FIRST_PAIRS);
  const head = (model, i) => el("th", { scope: "col" }, el("span", { class: i ? "swatch second" : "swatch" }), model.name);
  replace("pairs", el("table", { class: "pairs" },
    el("thead", {}, el("tr", {}, head(models[0], 0), el("th", { scope: "col" }, "Angle"), head(models[1], 1))),
    el("tbody", {}, shown.map(pairRow))));
  if (rows.length > shown.length) {
    byId("pairs").append(el("button", { type: "button", class: "quiet", onclick: () => {
      allPairs = true;
      drawCompare();
    } }, `Show all ${rows.length}`));
  }
}
