// The heading: title, facts, and a line for each model.
function modelLine(model, i) {
  const { components, diversity, metric, angles, name, kind } = model, figures = [];
  const figure = (value, words) => figures.push(el("span", {}, el("b", {}, value), ` ${words}`));
  figures.push(el("span", { class: "detail" }, el("b", {}, count(components)), components === 1 ? " component" : " components"));
  if (diversity !== null && diversity !== undefined) figures.push(el("span", {}, "λ = ", el("b", {}, String(diversity)), metric ? el("span", { class: "detail" }, ` in the ${metric} metric`) : ""));
  if (Number.isFinite(angles?.mean)) figures.push(el("span", {}, el("b", {}, degrees(angles.mean)), " mean angle", el("span", { class: "detail" }, ` ${angles.kind ?? ""}`)));
  if (angles) figures.push(el("span", { class: angles.redundant ? "doubles" : null }, el("b", {}, count(angles.redundant ?? 0)), ` ${angles.redundant === 1 ? "near-duplicate" : "near-duplicates"}`));
  if (angles?.dead) figure(count(angles.dead), "without a direction");
  return el("li", {}, el("strong", {}, shapeOf(i), comparing ? name : name || kind), figures);
}

sections.push({
  id: "heading",
  early: true,
  draw() {
    byId("title").textContent = data.title;
    byId("facts").textContent = (data.facts ?? []).join(" · ");
    replace("models", models.map(modelLine));
    byId("made").textContent = data.served ? "This page asks only the program that serves it." : "This file holds all it needs and fetches nothing.";
  },
});
