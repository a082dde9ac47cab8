// The section of the map: its controls, what it says, and what happens under the mouse.
const COLOUR_NAMES = { topic: "topic", class: "class", found: "found by" };
let tip = null;
let clicked = null; // the document that was clicked on the map itself: the view stays where it is

function tellUnderMouse(place) {
  const d = place ? pointAt(place, 12) : null;
  const label = place && d === null ? labelAt(place) : null;
  if (d !== hovered) {
    hovered = d;
    drawMap();
  }
  canvas.style.cursor = d !== null || label !== null ? "pointer" : "";
  tip.hidden = d === null;
  if (d === null) return;
  const node = topicOfDocument(state.model, d), group = classOfDocument(d);
  tip.replaceChildren(el("strong", {}, nameOfDocument(d)), ...[titleOfDocument(d), node === null ? null : nameOfTopic(state.model, node),
    group === null ? null : data.classes[group].name].filter(Boolean).map((line) => el("span", {}, line)));
  const [sx, sy] = toScreen(points().x[d], points().y[d]);
  tip.style.left = `${clamp(sx, 130, Math.max(box.width - 130, 130))}px`;
  tip.style.top = `${sy}px`;
  tip.classList.toggle("below", sy < 90);
}

function clickMap(place, kind) {
  const d = pointAt(place, kind === "mouse" ? 8 : 18), label = labelAt(place);
  // A label lies over its points: on it the topic is meant, unless the mouse is on a point's very middle.
  if (label !== null && (d === null || kind !== "mouse" || pointAt(place, 3) === null)) select({ topic: label, document: null });
  else if (d !== null) {
    clicked = d;
    select({ document: d });
  }
  else if (state.document !== null) select({ document: null });
  else select({ topic: null, class: null });
}

function chooser(id, words, all, options, chosen, choose) {
  const onchange = (event) => choose(event.target.value === "" ? null : Number(event.target.value));
  const field = el("select", { id, "aria-label": `Show one ${words.toLowerCase()} only`, onchange },
    el("option", { value: "" }, all), options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", { class: "choice filter" }, el("span", { class: "hint" }, words), field);
}

function drawMapControls() {
  if (!hasMap()) return;
  const kinds = ["topic", "class", "found"].filter(hasColour), parts = [];
  if (kinds.length > 1) {
    const group = el("div", { class: "switch", role: "radiogroup", "aria-label": "Colour by", id: "colour" });
    const had = byId("colour")?.contains(document.activeElement);
    drawSwitch(group, kinds.map((kind) => COLOUR_NAMES[kind]), kinds.indexOf(colourShown()), (k) => select({ colour: kinds[k] }));
    parts.push(el("div", { class: "choice" }, el("span", { class: "hint" }, "Colour"), group));
    if (had) setTimeout(() => group.querySelector('[aria-checked="true"]').focus());
  }
  const { shown } = topicsAt(state.model);
  if (shown.length) {
    const named = shown.map((node) => [node, nameOfTopic(state.model, node)]).sort((a, b) => a[1].localeCompare(b[1]));
    if (state.topic !== null && !shown.includes(state.topic)) named.unshift([state.topic, nameOfTopic(state.model, state.topic)]);
    parts.push(chooser("topic-filter", "Topic", "All topics", named, state.topic, (topic) => select({ topic, class: state.class, document: null })));
  }
  if (hasColour("class")) {
    const named = data.classes.map(({ name, size }, k) => [k, `${name} (${count(size)})`]).sort((a, b) => a[1].localeCompare(b[1]));
    parts.push(chooser("class-filter", "Class", "All classes", named, state.class, (group) => select({ class: group, topic: state.topic, document: null })));
  }
  replace("map-controls", parts);
  const clear = byId("clear");
  if (clear) clear.hidden = state.topic === null && state.class === null;
}

function drawModelSwitch() {
  if (!comparing) return;
  drawSwitch(byId("switch"), models.map((model, i) => [shapeOf(i), model.name]), state.model, (i) => select({ model: i }));
}

function saysMap() {
  const { layout, sampled, count: all, shown } = data.documents, { topics } = models[state.model];
  const parts = [`Documents that lie together are alike${layout ? ` (${layout})` : ""}; the panel and the list have the exact angles.`];
  if (sampled) parts.push(sampled);
  else if (shown < all) parts.push(`${count(shown)} of ${plural(all, "document")} are shown.`);
  if (topics?.without) parts.push(`${plural(topics.without, "document")} without a topic ${topics.without === 1 ? "is a grey ring" : "are grey rings"}.`);
  if (colourShown() === "found") parts.push("Found: most of its ten nearest documents are of its own class.");
  if (data.told) parts.push(data.told);
  return parts.join(" ");
}

function drawMapFrame() {
  const small = (text, label, onclick) => button({ "aria-label": label, title: label, onclick }, text);
  const all = () => select({ topic: null, class: null, document: null });
  canvas = el("canvas", { id: "points", role: "img", tabindex: "0",
    "aria-label": `Map of ${plural(data.documents.shown, "document")}; the list of topics below holds the same. Arrow keys move it, plus and minus zoom.` });
  layer = document.createElement("canvas");
  tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
  replace("chart", canvas, tip, button({ class: "quiet", id: "clear", hidden: true, onclick: all }, "Show all documents"),
    el("div", { class: "zoom" }, small("+", "Zoom in", () => zoomBy(1.6)), small("−", "Zoom out", () => zoomBy(1 / 1.6)),
      small("⌂", "Show the whole map", () => goTo(...box.middle, 1))));
  startHands(canvas, clickMap, tellUnderMouse);
  new ResizeObserver(drawMap).observe(canvas);
}

sections.push({
  id: "map",
  draw() {
    drawModelSwitch();
    whenSelected((changed) => changed.has("model") && drawModelSwitch());
    if (!hasMap()) {
      byId("map").classList.add("without");
      byId("map-says").textContent = "There is no map, for no documents came with this model.";
      return;
    }
    drawMapFrame();
    drawMapControls();
    byId("map-says").textContent = saysMap();
    paint();
    whenThemed(restyle);
    whenSelected((changed) => {
      if (["model", "level", "colour", "topic", "class"].some((name) => changed.has(name))) {
        drawMapControls();
        byId("map-says").textContent = saysMap();
        restyle();
      }
      if (changed.has("document") && state.document !== null && box.width) {
        if (clicked !== state.document) goTo(...placeInMap(state.document), Math.max(view.k, 4));
        clicked = null;
      }
      drawMap();
    });
    if (state.document !== null) goTo(...placeInMap(state.document), 4);
  },
});
