// What each part says in a sentence, and the start.
function fact(model, i) {
  const { kind, mean, smallest, redundant, dead } = model.angles;
  const term = el("dt", {}, comparing ? el("span", { class: i ? "swatch second" : "swatch" }) : "", comparing ? model.name : model.kind);
  const value = (text, words) => el("dd", {}, el("b", {}, text), ` ${words}`);
  return el("div", {}, term, value(count(model.topics.length), `${model.noun}s of ${plural(model.vocabulary.length, model.column)}`),
    mean === null ? "" : value(degrees(mean), `mean angle, ${kind}`), smallest === null ? "" : value(degrees(smallest), "smallest"),
    value(count(redundant), `near-duplicate ${redundant === 1 ? "pair" : "pairs"}${dead ? `, ${count(dead)} without a direction` : ""}`));
}

function mapSays() {
  const model = models[0];
  const bySize = model.topics.some(({ usage }) => usage !== null) ? "the more documents switch it on" : "the longer its weights";
  return `Each mark is a ${model.noun}. The nearer two marks, the smaller their angle (${model.angles.kind}), as far as a plane can show it; the panel has the exact angles. ` +
    `A mark is larger ${bySize}.`;
}

function tailSays() {
  const { classes, k, how, lacking } = data.tail;
  if (!classes.length) return lacking.join(" ");
  return `Each mark is a class: how many of its documents there are, and which share of the ${k} documents nearest to one of them are of its class too. ` +
    `Lines are means over classes of like size. ${how.join(" ")} ${lacking.join(" ")}`;
}

function drawClassTable() {
  const { classes } = data.tail;
  byId("classes").hidden = !classes.length;
  byId("class-numbers").hidden = !classes.length;
  if (!classes.length) return;
  const cell = (value) => el("td", {}, value === null ? "–" : value.toFixed(3));
  byId("class-numbers").querySelector(".scroll").replaceChildren(el("table", { class: "numbers" },
    el("thead", {}, el("tr", {}, ["Class", "Documents", ...(comparing ? models.map(({ name }) => name) : ["Precision"])].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, classes.map((row) => el("tr", {}, el("td", {}, row.label), el("td", {}, count(row.size)), row.precision.map(cell))))));
}

function start() {
  startTheme();
  byId("title").textContent = data.title;
  byId("made").textContent = `Made by wideangle ${data.version}. This file holds all it needs and fetches nothing.`;
  replace("facts", models.map(fact));
  byId("map-says").textContent = mapSays();
  byId("legend").textContent = `Diamonds joined by lines are near-duplicates, closer than ${data.degrees}°. Circles are the more blue the farther their nearest ${models[0].noun} is, up to 90°.`;
  const kinds = [...new Set(models.map(({ angles }) => angles.kind))];
  byId("angles-says").textContent = `Angles are ${kinds.length === 1 ? kinds[0] : models.map(({ name, angles }) => `${angles.kind} for ${name}`).join(", and ")}. How the angles between all pairs of ${models[0].noun}s are spread: diverse ones crowd at 90°, near-duplicates lie left of the dotted line.`;
  byId("tail-says").textContent = tailSays();
  startTopics();
  startSearch();
  drawClassTable();
  drawCompare();
  const moment = () => String(Math.round(performance.now()));
  document.documentElement.dataset.usable = moment();
  // Plotly's script stands behind this one: list, search and comparison need not wait for it.
  document.addEventListener("DOMContentLoaded", () => drawCharts().then(() => {
    document.documentElement.dataset.ready = moment();
  }));
}

start();
