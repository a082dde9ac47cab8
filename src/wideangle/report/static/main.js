// The start: first what makes the page usable (heading, list, search), then, after the browser has shown it, the rest.
const moment = () => String(Math.round(performance.now()));

function start() {
  startTheme();
  startState();
  for (const { early, draw } of sections) if (early) draw();
  byId("skip").addEventListener("click", (event) => { // The address holds the selection, so it does not take the link's.
    event.preventDefault();
    select({ tab: "topics" });
    byId("list").focus();
  });
  document.documentElement.dataset.usable = moment();
  setTimeout(() => {
    for (const { early, draw } of sections) if (!early) draw();
    byId("loading").remove();
    startPrinting();
    document.documentElement.dataset.ready = moment();
    unpackTexts();
  });
}

start();
