// The first screen in plain words: how many documents, about how many subjects, the largest and the rarest; against which other model.
// What only those ask for who know the model (λ, metric, angles) is folded away.
const NAMED = 3; // subjects that are named at either end

function modelLine(model, i) {
  const { components, diversity, metric, angles, name, kind } = model, figures = [];
  const strong = (value) => el("b", {}, value);
  figures.push(el("span", {}, strong(count(components)), components === 1 ? " component" : " components"));
  if (Number.isFinite(diversity)) figures.push(el("span", {}, "λ = ", strong(String(diversity)), metric ? ` in the ${metric} metric` : ""));
  if (Number.isFinite(angles?.mean)) figures.push(el("span", {}, strong(degrees(angles.mean)), ` mean angle ${angles.kind ?? ""}`));
  if (Number.isFinite(angles?.redundant)) figures.push(el("span", {}, strong(count(angles.redundant)), angles.redundant === 1 ? " near-duplicate" : " near-duplicates"));
  if (angles?.dead) figures.push(el("span", {}, strong(count(angles.dead)), " without a direction"));
  return el("li", {}, el("strong", {}, comparing ? shapeOf(i) : "", name || kind), figures);
}

// "a (40), b (31) and c (30)", each a way to its topic.
function namedTopics(i, nodes) {
  return nodes.map((node, k) => el("span", { class: "named" }, k === 0 ? "" : k === nodes.length - 1 ? " and " : ", ", topicButton(i, node), ` (${count(treeOf(i).nodes[node].size)})`));
}

function saysSubjects() {
  const i = state.model, all = data.documents?.count ?? 0, documents = all ? plural(all, "document") : "";
  if (!models[i].topics) return [documents ? `${documents}.` : "No documents came with this model: the page shows its components.", models[i].no_topics && all ? ` ${models[i].no_topics}` : ""];
  const { nodes } = treeOf(i), shown = [...topicsAt(i).shown].sort((a, b) => nodes[b].size - nodes[a].size), ends = Math.min(NAMED, Math.floor(shown.length / 2));
  const said = [el("b", {}, documents || plural(nodes[nodes.length - 1].size, "document")), " about ", el("b", {}, plural(shown.length, "subject")), "."];
  if (!ends) return said;
  return [...said, el("span", { class: "end" }, ` The largest: `, namedTopics(i, shown.slice(0, ends)), "."),
    el("span", { class: "end" }, ` The rarest: `, namedTopics(i, shown.slice(-ends).reverse()), ".")];
}

// What the comparison found, in a sentence, and the way to all of it.
function saysComparison() {
  if (!comparing || !data.change?.headline) return "";
  const first = data.change.headline.split(/(?<=\.) (?=[A-Z])/)[0];
  return [signOf(0), " →\u2002", signOf(1), `: ${first.charAt(0).toLowerCase()}${first.slice(1)} `,
    button({ class: "link", id: "to-change", onclick: () => {
      select({ tab: "change" });
      byId("change").scrollIntoView({ behavior: stillness.matches ? "auto" : "smooth" });
    } }, "What changed")];
}

const drawSubjects = () => replace("subjects", saysSubjects());

sections.push({
  id: "heading",
  when: "early",
  draw() {
    byId("title").textContent = data.title;
    drawSubjects();
    replace("compared", saysComparison());
    byId("facts").textContent = (data.facts ?? []).join(" · ");
    byId("about-name").textContent = comparing ? "About the models" : "About the model";
    replace("models", models.map(modelLine));
    byId("made").textContent = data.served ? "This page asks only the program that serves it." : "This file holds all it needs and fetches nothing.";
    whenThemed(drawSubjects);
    whenSelected((changed) => (changed.has("model") || changed.has("level")) && drawSubjects());
  },
});
