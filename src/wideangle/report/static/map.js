// The section of the map: its controls, what it says, and what happens under the mouse.
const COLOUR_NAMES = { topic: "topic", class: "class", found: "found by" };
let tip = null;
let clicked = null; // the document that was clicked on the map itself: the view stays where it is

function tellUnderMouse(place) {
  const d = place ? pointAt(place, 12) : null;
  const label = place && d === null ? labelAt(place) : null;
  canvas.style.cursor = d !== null || label !== null ? "pointer" : "";
  pointOut(d);
}

// A ring around a document and its name beside it, for the mouse and for the keys.
function pointOut(d) {
  if (d !== hovered) {
    hovered = d;
    drawMap();
  }
  tip.hidden = d === null;
  if (d === null) return;
  const node = topicOfDocument(state.model, d), group = classOfDocument(d);
  tip.replaceChildren(el("strong", {}, calledDocument(d)), ...[titleOfDocument(d) ? nameOfDocument(d) : null, node === null ? null : nameOfTopic(state.model, node),
    group === null ? null : data.classes[group].name].filter(Boolean).map((line) => el("span", {}, line)), hoverText(d));
  const [sx, sy] = toScreen(points().x[d], points().y[d]);
  tip.style.left = `${clamp(sx, 130, Math.max(box.width - 130, 130))}px`;
  tip.style.top = `${sy}px`;
  tip.classList.toggle("below", sy < tip.offsetHeight + 20);
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
  else select({ topic: null, class: null, query: null });
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
  if (shown.length) parts.push(levelControl());
  if (shown.length) {
    const named = shown.map((node) => [node, nameOfTopic(state.model, node)]).sort((a, b) => a[1].localeCompare(b[1]));
    if (state.topic !== null && !shown.includes(state.topic)) named.unshift([state.topic, nameOfTopic(state.model, state.topic)]);
    parts.push(chooser("topic-filter", "Topic", "All topics", named, state.topic, (topic) => select({ topic, class: state.class, document: null })));
  }
  if (hasColour("class")) {
    const named = data.classes.map(({ name, size }, k) => [k, `${name} (${count(size)})`]).sort((a, b) => a[1].localeCompare(b[1]));
    parts.push(chooser("class-filter", "Class", "All classes", named, state.class, (group) => select({ class: group, topic: state.topic, document: null })));
  }
  keepingFocus(() => replace("map-controls", parts));
  const clear = byId("clear");
  if (clear) clear.hidden = [state.topic, state.class, state.lasso, state.query].every((each) => each === null);
}

function drawModelSwitch() {
  if (!comparing) return;
  drawSwitch(byId("switch"), models.map((model, i) => [shapeOf(i), model.name]), state.model, (i) => select({ model: i }));
}

function saysMap() {
  const { layout, sampled, count: all, shown } = data.documents, { topics } = models[state.model];
  const parts = [`${capital(thing)}s that lie together are alike${layout ? ` (${layout})` : ""}; the panel and the list have the exact angles.`];
  if (sampled) parts.push(sampled);
  else if (shown < all) parts.push(`${count(shown)} of ${plural(all, "document")} are shown.`);
  if (topics?.without) parts.push(`${plural(topics.without, "document")} without a topic ${topics.without === 1 ? "is a grey ring" : "are grey rings"}.`);
  if (colourShown() === "found") parts.push("Found: most of its ten nearest documents are of its own class.");
  parts.push(...saysGranularity());
  if (data.told) parts.push(data.told);
  return parts.join(" ");
}

function drawMapFrame() {
  const small = (text, label, onclick) => button({ "aria-label": label, title: label, onclick }, text);
  const all = () => {
    select({ topic: null, class: null, document: null, lasso: null, query: null });
    canvas.focus({ preventScroll: true });
  };
  canvas = el("canvas", { id: "points", role: "application", tabindex: "0", "aria-roledescription": "map",
    "aria-label": `Map of ${things(data.documents.shown)}; the list of topics below holds the same. `
      + `Arrow keys go from ${thing} to ${thing}, n and p to the next and the one before, Enter opens; Shift and arrows move the map, plus and minus zoom, 0 shows all.` });
  layer = document.createElement("canvas");
  tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
  replace("chart", canvas, tip, el("div", { class: "over" }, lassoButton(), button({ class: "quiet", id: "clear", hidden: true, onclick: all }, `Show all ${thing}s`)),
    el("div", { class: "zoom" }, small("+", "Zoom in", () => zoomBy(1.6)), small("−", "Zoom out", () => zoomBy(1 / 1.6)),
      small("⌂", "Show the whole map", goHome)));
  startHands(canvas, clickMap, tellUnderMouse, lassoPencil);
  startMapKeys();
  // It is told of the size at the start too, which paint() has seen.
  new ResizeObserver(() => (canvas.clientWidth !== box.width || canvas.clientHeight !== box.height) && drawMap()).observe(canvas);
}

// The map goes where the address says, or to a document that was chosen elsewhere, which then says the place.
function follow(changed) {
  const asked = changed.has("at") ? viewOf(state.at) : null, chosen = changed.has("document") && state.document !== null && clicked !== state.document;
  clicked = null;
  if (asked) {
    if (!isSameView(asked, view)) goTo(asked.x, asked.y, asked.k);
  } else if (chosen) {
    goTo(...placeInMap(state.document), Math.max(view.k, 4));
    state.at = null;
  } else if (changed.has("at") && !movedByHand && state.document === null) goTo(...box.middle, 1);
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
    byId("map-title").textContent = `Map of ${thing}s`;
    drawMapFrame();
    drawMapControls();
    byId("map-says").textContent = saysMap();
    paint();
    whenThemed(restyle);
    whenTexts(drawMap); // Names, and nearest documents where the slider from broad to fine was moved.
    whenSelected((changed) => {
      if (["model", "level", "colour", "topic", "class", "lasso", "query"].some((name) => changed.has(name))) {
        if (changed.has("level") || changed.has("model")) startMotion();
        drawMapControls();
        byId("map-says").textContent = saysMap();
        restyle();
      }
      if (box.width) follow(changed);
      drawMap();
    });
    if (state.document !== null && state.at === null) goTo(...placeInMap(state.document), 4);
  },
});
