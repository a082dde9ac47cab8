// The start: first what makes the page usable (heading, list, search), then, after the browser has shown it, the map and what stands
// beside it, then what is further down.
const moment = () => String(Math.round(performance.now()));

function drawSections(wanted) {
  for (const { when, draw } of sections) if (when === wanted) draw();
}

function start() {
  startTheme();
  startState();
  drawSections("early");
  byId("skip").addEventListener("click", (event) => { // The address holds the selection, so it does not take the link's.
    event.preventDefault();
    select({ tab: "topics" });
    byId("list").focus();
  });
  document.documentElement.dataset.usable = moment();
  setTimeout(() => {
    drawSections();
    byId("loading").remove();
    document.documentElement.dataset.drawn = moment();
    setTimeout(() => {
      drawSections("late");
      startPrinting();
      document.documentElement.dataset.ready = moment();
      unpackTexts();
    });
  });
}

start();
