// The slider from broad to fine: 1 stands for broad groups, 0 for fine details. Nearest documents, topics and searches follow it.
const GRANULARITIES = { 0: "details", 0.5: "balance", 1: "groups" };
const STEP = 5; // of the slider, which goes from 0 (broad) to 100 (fine)

// Where a model's documents are compared: where the slider was moved to, or at the model's own granularity.
const granularityOf = (i) => (sliderOf(i) ? state.granularity ?? sliderOf(i).own : null);
const isMoved = (i) => sliderOf(i) !== null && granularityOf(i) !== sliderOf(i).own;
const nameOfGranularity = (g) => GRANULARITIES[g] ?? String(Number(g.toFixed(2)));
const positionOf = (g) => STEP * Math.round((100 * (1 - g)) / STEP);
const ownGranularities = () => models.flatMap((_, i) => sliderOf(i)?.own ?? []);

// A granularity that was asked for, or null: as each model has it.
function checkedGranularity(g) {
  const owns = ownGranularities();
  if (!owns.length || !Number.isFinite(g)) return null;
  const within = clamp(g, 0, 1);
  return owns.every((own) => own === within) ? null : within;
}

// What the slider shows: the granularity of the chosen model, or of the other where the chosen one has none.
const shownGranularity = () => granularityOf(state.model) ?? state.granularity ?? ownGranularities()[0];

// A model's own granularity may lie between two steps. The step next to it then stands for it, so that it can be found again.
function moveSlider(position) {
  const isOwn = ownGranularities().every((own) => positionOf(own) === position), i = state.model;
  const granularity = isOwn ? null : (100 - position) / 100;
  const T = models[i].topics ? followedLevel(i, granularity) : 0;
  select({ granularity, level: null, topic: state.topic === null ? null : followedTopic(i, state.topic, T) }, "replace");
}

function drawGranularity() {
  const g = shownGranularity(), name = nameOfGranularity(g), slider = byId("granularity");
  if (Number(slider.value) !== positionOf(g)) slider.value = positionOf(g);
  slider.setAttribute("aria-valuetext", name);
  byId("granularity-name").textContent = name;
}

function startGranularity() {
  const whose = models.map((_, i) => i).filter(sliderOf), title = "Moves which documents count as near, and how many topics are shown";
  const slider = el("input", { type: "range", id: "granularity", min: 0, max: 100, step: STEP, "aria-label": "Compare documents, from broad to fine",
    oninput: (event) => moveSlider(Number(event.target.value)) });
  const hint = (text) => el("span", { class: "hint" }, text);
  replace("broad-fine", el("label", { class: "choice slider", title }, hint(["Compare", whose.length < models.length ? [" ", shapeOf(whose[0])] : ""]),
    hint("broad"), slider, hint("fine"), el("output", { id: "granularity-name", class: "chip", for: "granularity", "aria-live": "off" })));
  byId("broad-fine").hidden = false;
  drawGranularity();
  whenSelected((changed) => (changed.has("granularity") || changed.has("model")) && drawGranularity());
}

sections.push({
  id: "broad-fine",
  when: "early",
  draw() {
    if (hasMap() && ownGranularities().length) startGranularity();
  },
});

// What stands below the map: why there is no slider, or what one that was moved changes.
function saysGranularity() {
  const parts = models.map(({ no_slider: why }) => why).filter(Boolean);
  if (models.some((_, i) => isMoved(i))) {
    const follow = data.served ? "Nearest documents, the number of topics and searches" : "Nearest documents and the number of topics";
    parts.push(`${follow} follow the slider; places on the map and precision stay at the model’s own granularity.`);
  }
  return parts;
}
