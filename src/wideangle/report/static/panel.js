// The panel beside the map: of a document, a topic or a class, whichever was chosen; on a phone a sheet at the bottom.
const isChosen = () => [state.document, state.topic, state.class, state.query, state.lasso].some((each) => each !== null);

let classLast = false; // where a class and a topic are chosen: which of them was the last

function panelParts() {
  if (state.document !== null) return documentParts(state.document);
  if (state.query !== null) return resultsParts(state.query);
  if (state.topic !== null && !(classLast && state.class !== null)) return topicParts(state.model, state.topic);
  if (state.class !== null) return classParts(state.class);
  if (state.lasso !== null) return lassoParts();
  return hasMap() ? legendParts() : [];
}

const closePanel = () => select(state.document !== null ? { document: null } : { topic: null, class: null, query: null, lasso: null });

function drawPanel() {
  const panel = byId("panel");
  replace("panel", isChosen() ? button({ class: "close", "aria-label": "Close", title: "Close", onclick: closePanel }, "×") : "", panelParts());
  panel.classList.toggle("chosen", isChosen());
  document.body.classList.toggle("sheet", isChosen());
}

// While a slider is moved, the panel and the text in it stay where they were scrolled to.
function drawPanelInPlace() {
  const panel = byId("panel"), scrolled = () => [panel, panel.querySelector(".text")], tops = scrolled().map((box) => box?.scrollTop);
  drawPanel();
  scrolled().forEach((box, k) => box && (box.scrollTop = tops[k] ?? 0));
}

function drawTopicPanel() {
  if (!models[state.model].topics) return;
  if (state.topic === null) {
    replace("topic-panel", el("h3", {}, "The largest topics"), el("p", { class: "lead" },
      `Choose one for its ${data.column}s, classes, nearest topics and central documents; its documents then stand out on the map.`), topicCards(state.model));
  } else replace("topic-panel", topicParts(state.model, state.topic));
}

// What was chosen far down the page is told beside the map.
function bringPanel() {
  const { top, bottom } = byId("panel").getBoundingClientRect();
  if (narrow.matches) byId("chart").scrollIntoView(); // above the sheet
  else if (bottom < 120 || top > window.innerHeight - 120) byId("map").scrollIntoView();
}

function saySelected() {
  if (state.document !== null) say(`${capital(thing)} ${calledDocument(state.document)}`);
  else if (state.query !== null) return; // results.js says what was found
  else if (state.topic !== null) say(`Topic ${nameOfTopic(state.model, state.topic)}, ${plural(treeOf(state.model).nodes[state.topic].size, "document")}`);
  else if (state.class !== null) say(`Class ${data.classes[state.class].name}, ${things(data.classes[state.class].size)}`);
  else if (state.lasso !== null) say(`${things(lassoed().length)} in the selection`);
  else say("Nothing is selected");
}

sections.push({
  id: "panel",
  draw() {
    drawPanel();
    if (narrow.matches && isChosen()) bringPanel();
    whenThemed(() => {
      drawPanel();
      drawTopicPanel();
    });
    whenTexts(() => {
      drawPanel();
      drawTopicPanel();
    });
    whenSelected((changed) => {
      const touched = (...names) => names.some((name) => changed.has(name));
      if (touched("class", "topic")) classLast = touched("class") && state.class !== null;
      if (touched("granularity") && !touched("model", "topic", "document", "class", "query")) drawPanelInPlace();
      else if (touched("model", "level", "topic", "document", "class", "query", "lasso") || (touched("colour") && !isChosen())) {
        drawPanel();
        byId("panel").scrollTop = 0;
      }
      if (touched("model", "level", "topic")) drawTopicPanel();
      if (touched("topic", "document", "class", "lasso")) saySelected();
      const told = (name) => touched(name) && state[name] !== null;
      if (told("document") || told("class") || told("query") || (narrow.matches && state.tab === "map" && told("topic"))) bringPanel();
    });
  },
});

sections.push({ id: "topic-panel", when: "late", draw: drawTopicPanel });
