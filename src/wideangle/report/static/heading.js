// The heading: title, facts, and a line for each model.
function modelLine(model, i) {
  const { components, diversity, metric, angles, name, kind } = model, figures = [];
  const strong = (value) => el("b", {}, value), detail = (...parts) => el("span", { class: "detail" }, parts); // not on a phone
  figures.push(detail(strong(count(components)), components === 1 ? " component" : " components"));
  if (Number.isFinite(diversity)) figures.push(el("span", {}, "λ = ", strong(String(diversity)), metric ? detail(` in the ${metric} metric`) : ""));
  if (Number.isFinite(angles?.mean)) figures.push(el("span", {}, strong(degrees(angles.mean)), " mean angle", detail(` ${angles.kind ?? ""}`)));
  if (Number.isFinite(angles?.redundant)) {
    figures.push(el("span", { class: angles.redundant ? "doubles" : null }, strong(count(angles.redundant)), angles.redundant === 1 ? " near-duplicate" : " near-duplicates"));
  }
  if (angles?.dead) figures.push(el("span", {}, strong(count(angles.dead)), " without a direction"));
  return el("li", {}, el("strong", {}, shapeOf(i), name || kind), figures);
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
