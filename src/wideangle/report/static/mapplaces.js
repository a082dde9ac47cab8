// Places for names on the map. Each name is tried at many places around its topic; of those where no other name is, it takes the one
// that covers the fewest points and is nearest. Names for which there is no room are listed below the map, so that none is missing.
const SPOT = 8; // pixels: the points are counted in squares of this size
const DIRECTIONS = Array.from({ length: 16 }, (_, k) => [Math.cos((k * Math.PI) / 8), Math.sin((k * Math.PI) / 8)]);
const LABEL_PAD = 3;
const SMALLEST = 10; // pixels: a name that finds no room is tried once more at this size
let keptPlaces = null; // while the map moves names stay where they are beside their topics: node -> {dx, dy, size}

const isOver = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

// The buttons over the map.
const ownCorners = () => [
  { node: null, left: box.width - 52, right: box.width, top: 0, bottom: 125 },
  { node: null, left: 0, right: byId("clear").hidden ? 84 : 250, top: 0, bottom: 48 },
];

// How many points lie left of and above each spot, so that those within any rectangle are four numbers.
function countedSpots() {
  const columns = Math.ceil(box.width / SPOT) + 1, rows = Math.ceil(box.height / SPOT) + 1, sums = new Float32Array(columns * rows);
  for (let d = 0; d < points().x.length; d++) {
    const [sx, sy] = placeOf(d), column = Math.floor(sx / SPOT) + 1, row = Math.floor(sy / SPOT) + 1;
    if (column > 0 && row > 0 && column < columns && row < rows) sums[row * columns + column] += styling.dim[d] ? 0.2 : 1;
  }
  for (let row = 1; row < rows; row++) {
    for (let column = 1, along = 0; column < columns; column++) {
      along += sums[row * columns + column];
      sums[row * columns + column] = along + sums[(row - 1) * columns + column];
    }
  }
  const at = (sx, sy) => sums[clamp(Math.round(sy / SPOT), 0, rows - 1) * columns + clamp(Math.round(sx / SPOT), 0, columns - 1)];
  return ({ left, right, top, bottom }) => at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
}

const areaAround = (x, y, [hw, hh]) => ({ left: x - hw - LABEL_PAD, right: x + hw + LABEL_PAD, top: y - hh - LABEL_PAD, bottom: y + hh + LABEL_PAD });
const isInside = ({ left, right, top, bottom }) => left > 0 && top > 0 && right < box.width && bottom < box.height;

// Middles at which a name may stand: over its topic, and on rings around it.
function* middlesAround(ax, ay, [hw, hh], spread) {
  yield [ax, ay, 0];
  for (const far of [8, 0.5 * spread, spread, spread + 20, spread + 40, spread + 65, spread + 90]) {
    for (const [dx, dy] of DIRECTIONS) yield [ax + dx * (far + hw), ay + dy * (far + hh), far];
  }
}

// Whether the lines from two names to their topics cross.
function cross(a, b) {
  const side = (p, q, r) => Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  const [a1, a2, b1, b2] = [[a.x, a.y], [a.ax, a.ay], [b.x, b.y], [b.ax, b.ay]];
  return side(a1, a2, b1) !== side(a1, a2, b2) && side(b1, b2, a1) !== side(b1, b2, a2);
}

// Whether a line and a rectangle meet: an end lies within, or the line crosses one of its diagonals.
function isHit({ left, right, top, bottom }, { x, y, ax, ay }) {
  if ([[x, y], [ax, ay]].some(([px, py]) => px > left && px < right && py > top && py < bottom)) return true;
  return cross({ x, y, ax, ay }, { x: left, y: top, ax: right, ay: bottom }) || cross({ x, y, ax, ay }, { x: left, y: bottom, ax: right, ay: top });
}

function bestPlace(label, half, countIn, taken, placed) {
  const { ax, ay } = label, spread = clamp(label.spread * pixelsAcross(), 8, 60);
  let best = null, least = Infinity;
  for (const [x, y, far] of middlesAround(ax, ay, half, spread)) {
    const area = areaAround(x, y, half);
    if (!isInside(area) || taken.some((other) => isOver(area, other))) continue;
    let cost = 2.5 * Math.min(countIn(area), 14) + 0.25 * far;
    if (cost >= least) continue;
    const line = { x, y, ax, ay };
    for (const other of placed) {
      if (cross(line, other)) cost += 14;
      if (isHit(area, other)) cost += 10;
      if (isHit(other.area, line)) cost += 14;
    }
    if (cost < least) [best, least] = [{ x, y, area }, cost];
  }
  return best;
}

// The names that are shown, each with its place; `missing` of them found none.
function placesOfLabels(pen) {
  const labels = labelCandidates().map((label) => {
    const [ax, ay] = toScreen(label.x, label.y);
    return { ...label, ax, ay };
  }).filter(({ ax, ay }) => ax >= 0 && ay >= 0 && ax <= box.width && ay <= box.height);
  const lettered = (label, size) => {
    const { lines, width, height } = measured(pen, nameOfTopic(state.model, label.node), size);
    return { lines, half: [width / 2, height / 2], size };
  };
  if (settling && keptPlaces) {
    return labels.filter(({ node }) => keptPlaces.has(node)).map((label) => {
      const { dx, dy, size } = keptPlaces.get(label.node), x = label.ax + dx, y = label.ay + dy, letters = lettered(label, size);
      return { ...label, ...letters, x, y, area: areaAround(x, y, letters.half) };
    });
  }
  const countIn = countedSpots(), taken = [...ownCorners()], placed = [], missing = [];
  for (const label of labels) {
    for (const size of label.size > SMALLEST && !label.fine ? [label.size, SMALLEST] : [label.size]) {
      const letters = lettered(label, size), place = bestPlace(label, letters.half, countIn, taken, placed);
      if (!place) continue;
      taken.push(place.area);
      placed.push({ ...label, ...letters, ...place });
      break;
    }
    if (placed.at(-1)?.node !== label.node && !label.fine) missing.push(label.node);
  }
  keptPlaces = new Map(placed.map(({ node, x, y, ax, ay, size }) => [node, { dx: x - ax, dy: y - ay, size }]));
  tellMissing(missing);
  return placed;
}

let missingTold = "";
function tellMissing(nodes) {
  const key = `${state.model} ${themeName()} ${nodes.join()}`;
  if (key === missingTold) return;
  missingTold = key;
  byId("unplaced").hidden = !nodes.length;
  replace("unplaced", nodes.length ? [`No room on the map for ${nodes.length === 1 ? "the name" : "the names"} of `,
    nodes.flatMap((node, k) => [k ? ", " : "", topicButton(state.model, node)]), ". Zoom in to see more names."] : "");
}
