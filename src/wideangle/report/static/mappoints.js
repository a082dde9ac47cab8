// Which colour each point has, which are dimmed, and which is under the mouse.
const GRID = 64; // cells along each side, to find the point under the mouse
const FOUND = ["neither", "first", "second", "both"]; // who puts a document among its class
let styling = null; // {group, dim: of each point, order: in which they are drawn, sprites, kept: how many are not dimmed}
let grid = null;

// Of each document: 1 if the first model finds it, plus 2 if the second does; 255 where it has no class.
let foundBy = null;
function whoFinds() {
  if (foundBy || !models.every(({ found }) => found)) return foundBy;
  const each = models.map(({ found }) => numbers(found, Uint8Array));
  foundBy = Uint8Array.from(each[0], (first, d) => (first === 255 ? 255 : first + (comparing ? 2 * (each[1][d] === 1) : 0)));
  return foundBy;
}

function hasColour(kind) {
  if (kind === "topic") return models[state.model].topics !== null;
  return kind === "class" ? data.classes !== null && classesOfDocuments() !== null : comparing && whoFinds() !== null;
}

const colourShown = () => ["topic", "class", "found"].sort((a, b) => (b === state.colour) - (a === state.colour)).find(hasColour) ?? "none";

// Documents outside the selected topic, class or lasso are dimmed, and those that a search does not find.
function isDimmed(d, found) {
  if (found && !found[d]) return true;
  if (state.lasso !== null && !inLasso(d)) return true;
  if (state.class !== null && classesOfDocuments()?.[d] !== state.class) return true;
  return state.topic !== null && !isUnder(state.model, d, state.topic);
}

function groupsOfPoints(n) {
  const group = new Uint8Array(n).fill(255), kind = colourShown();
  if (kind === "topic") {
    const { ofLeaf } = topicsAt(state.model), { leaves } = treeOf(state.model), colour = coloursOfTopics(state.model);
    for (let d = 0; d < n; d++) if (leaves[d] !== NONE) group[d] = colour[ofLeaf[leaves[d]]];
  } else if (kind === "class") {
    const classes = classesOfDocuments(), colour = coloursOfClasses();
    for (let d = 0; d < n; d++) if (classes[d] >= 0) group[d] = colour[classes[d]];
  } else if (kind === "found") group.set(whoFinds());
  return group;
}

// The leaves that have documents which are not dimmed, by their place in the tree; null where none is dimmed.
function litTopics(dim) {
  if ((state.class === null && state.query === null && state.lasso === null) || !models[state.model].topics) return null;
  const { leaves, place } = treeOf(state.model), lit = new Set();
  for (let d = 0; d < dim.length; d++) if (!dim[d] && leaves[d] !== NONE) lit.add(place[leaves[d]]);
  return [...lit];
}

function stylePoints() {
  const n = points().x.length, dim = new Uint8Array(n);
  let kept = n;
  const found = foundOnMap(), chosen = [state.class, state.topic, state.lasso].some((each) => each !== null);
  if (found || chosen) for (let d = 0; d < n; d++) if (isDimmed(d, found)) kept -= dim[d] = 1;
  // What is dimmed is drawn first; of the found, those whom one model alone finds are drawn last.
  const group = groupsOfPoints(n), rank = (d) => (dim[d] ? 0 : isAlone(group[d]) ? 2 : 1);
  const order = [0, 1, 2].flatMap((r) => Array.from(dim.keys()).filter((d) => rank(d) === r));
  styling = { group, dim, order, kept, lit: litTopics(dim), sprites: new Map() };
}

const areFewKept = () => styling.kept < FEW * points().x.length;

function startGrid() {
  const { x, y } = points();
  grid = Array.from({ length: GRID * GRID }, () => []);
  for (let d = 0; d < x.length; d++) grid[cellOf(y[d]) * GRID + cellOf(x[d])].push(d);
}

const cellOf = (value) => clamp(Math.floor(((value + 1) / 2) * GRID), 0, GRID - 1);

// The point nearest to a place on the canvas, within so many pixels; dimmed points give way to others.
function pointAt([sx, sy], within) {
  if (!grid) startGrid();
  const { x, y } = points(), [px, py] = fromScreen(sx, sy), reach = within / (box.scale * view.k);
  let best = null, least = within * within;
  for (let row = cellOf(py - reach); row <= cellOf(py + reach); row++) {
    for (let column = cellOf(px - reach); column <= cellOf(px + reach); column++) {
      for (const d of grid[row * GRID + column]) {
        const [qx, qy] = toScreen(x[d], y[d]);
        const distance = (qx - sx) ** 2 + (qy - sy) ** 2 + (styling.dim[d] ? 0.6 * within * within : 0);
        if (distance < least) [best, least] = [d, distance];
      }
    }
  }
  return best;
}
