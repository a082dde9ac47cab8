// Names of topics on the map: at the median of their points, the larger first, none over another.
let labelBoxes = []; // of what was drawn last: {node, left, top, right, bottom}
const NAMES_FROM = 5; // times magnified: from here on documents are named
const MOST_NAMES = 400;
const LABEL_PAD = 3;
const labelCache = new Map();

function median(values) {
  values.sort();
  return values[values.length >> 1];
}

// Where the topics of a level stand: [{node, x, y, n}], the larger first.
const labelPlaces = new Map();
function placesOf(i, T) {
  const key = `${i} ${T}`;
  if (labelPlaces.has(key)) return labelPlaces.get(key);
  const { x, y } = points(), { shown, ofLeaf } = topicsAt(i, T), { leaves } = treeOf(i);
  const sizes = new Map(shown.map((node) => [node, 0]));
  for (let d = 0; d < x.length; d++) if (leaves[d] !== NONE) sizes.set(ofLeaf[leaves[d]], sizes.get(ofLeaf[leaves[d]]) + 1);
  const lists = new Map([...sizes].map(([node, n]) => [node, { xs: new Float32Array(n), ys: new Float32Array(n), used: 0 }]));
  for (let d = 0; d < x.length; d++) {
    if (leaves[d] === NONE) continue;
    const list = lists.get(ofLeaf[leaves[d]]);
    list.xs[list.used] = x[d];
    list.ys[list.used++] = y[d];
  }
  const places = [...lists].filter(([, { used }]) => used).map(([node, { xs, ys, used }]) => ({ node, x: median(xs), y: median(ys), n: used }))
    .sort((a, b) => b.n - a.n);
  labelPlaces.set(key, places);
  return places;
}

// Long names take two lines, broken near their middle.
function linesOf(name) {
  if (name.length <= 17) return [name];
  const breaks = [...name.matchAll(/\s/g)].map(({ index }) => index);
  if (!breaks.length) return [name.length > 28 ? `${name.slice(0, 27)}…` : name];
  const at = breaks.reduce((best, index) => (Math.abs(index - name.length / 2) < Math.abs(best - name.length / 2) ? index : best));
  return [name.slice(0, at), name.slice(at + 1)].map((line) => (line.length > 28 ? `${line.slice(0, 27)}…` : line));
}

function measured(pen, name, size) {
  const key = `${size} ${name}`;
  if (!labelCache.has(key)) {
    pen.font = fontOf(size);
    const lines = linesOf(name);
    labelCache.set(key, { lines, width: Math.max(...lines.map((line) => pen.measureText(line).width)), height: lines.length * size * 1.12 });
  }
  return labelCache.get(key);
}

let serif = "";
function fontOf(size) {
  serif ||= getComputedStyle(document.documentElement).getPropertyValue("--serif");
  return `600 ${size}px ${serif}`;
}

// Topics of the level; as one zooms in, also the finer topics they are made of.
function labelCandidates() {
  const T = levelOf(state.model), tree = treeOf(state.model);
  const coarse = placesOf(state.model, T), most = coarse.length ? coarse[0].n : 1;
  const [small, range] = box.width < 500 ? [10, 5] : [11, 8], nearer = Math.min(3, 2 * Math.log10(view.k));
  const labels = coarse.map((place) => ({ ...place, size: Math.round(small + range * Math.sqrt(place.n / most) + nearer) }));
  if (view.k > 2.5 && T < tree.L) {
    const known = new Set(coarse.map(({ node }) => node));
    const finer = placesOf(state.model, Math.min(T * 2 ** Math.ceil(Math.log2(view.k / 2)), tree.L)).filter(({ node }) => !known.has(node));
    labels.push(...finer.map((place) => ({ ...place, size: small, fine: true })));
  }
  if (state.topic !== null) { // the selected one goes first, whatever its level
    const rank = ({ node }) => (node === state.topic ? 0 : covers(tree, state.topic, node) ? 1 : 2);
    if (!labels.some(({ node }) => node === state.topic)) {
      const own = placesOf(state.model, levelWith(tree, state.topic)).find(({ node }) => node === state.topic);
      if (own) labels.push({ ...own, size: small + 6 });
    }
    labels.sort((a, b) => rank(a) - rank(b));
    for (const label of labels) label.faded = rank(label) === 2;
  }
  if (styling.lit) for (const label of labels) label.faded ||= !styling.lit.some((place) => place >= tree.from[label.node] && place < tree.to[label.node]);
  return labels;
}

// A level at which a node is one of the topics.
const levelWith = (tree, node) => (node < tree.L ? tree.L : 2 * tree.L - 1 - node);

const overlaps = (area) =>
  labelBoxes.some((other) => area.left < other.right && other.left < area.right && area.top < other.bottom && other.top < area.bottom);

// The first of some places, in half heights above or below the point, where no other label is; null where there is no room.
function freeArea(node, x, y, halfWidth, halfHeight, shifts) {
  for (const shift of shifts) {
    const middle = clamp(y + shift * halfHeight, halfHeight + 3, box.height - halfHeight - 3);
    const area = { node, left: x - halfWidth, right: x + halfWidth, top: middle - halfHeight, bottom: middle + halfHeight };
    if (!overlaps(area)) return area;
  }
  return null;
}

function paintLabels(pen) {
  labelBoxes = [{ node: null, left: box.width - 52, right: box.width, top: 0, bottom: 125 }]; // the buttons that zoom
  if (models[state.model].topics) paintTopicNames(pen);
  canvas.dataset.labels = labelBoxes.length - 1;
  if (view.k >= NAMES_FROM) paintDocumentNames(pen);
}

// Far in, where few points are in sight, they have their names beside them.
function paintDocumentNames(pen) {
  const { x, y } = points(), now = colours(), seen = [], r = radiusOfPoints();
  for (let d = 0; d < x.length; d++) {
    const [sx, sy] = placeOf(d);
    if (sx > 0 && sy > 0 && sx < box.width && sy < box.height && !styling.dim[d]) seen.push([d, sx, sy]);
    if (seen.length > MOST_NAMES) return;
  }
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  pen.textAlign = "left";
  pen.fillStyle = now.ink;
  pen.strokeStyle = now.card;
  pen.lineWidth = 3;
  for (const [d, sx, sy] of seen) {
    const whole = nameOfDocument(d), name = whole.length > 34 ? `…${whole.slice(-33)}` : whole;
    const width = pen.measureText(name).width;
    const area = { node: null, left: sx + r + 2, right: sx + r + 6 + width, top: sy - 7, bottom: sy + 7 };
    if (area.right > box.width || overlaps(area)) continue;
    labelBoxes.push(area);
    pen.strokeText(name, sx + r + 4, sy);
    pen.fillText(name, sx + r + 4, sy);
  }
}

// Names that stand back, then the points that do not where they are few, then the other names.
function paintTopicNames(pen) {
  const placed = [];
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  for (const label of labelCandidates()) {
    const [sx, sy] = toScreen(label.x, label.y);
    if (sx < 0 || sy < 0 || sx > box.width || sy > box.height) continue;
    const { lines, width, height } = measured(pen, nameOfTopic(state.model, label.node), label.size);
    const x = clamp(sx, width / 2 + 6, Math.max(box.width - width / 2 - 6, width / 2 + 6));
    const beside = !label.faded && areFewKept();
    const area = freeArea(label.node, x, sy, width / 2 + LABEL_PAD, height / 2 + LABEL_PAD, beside ? [-1.7, 1.7, -2.3, 2.3, 0] : [0, -0.7, 0.7, -1.3, 1.3]);
    if (!area) continue;
    labelBoxes.push(area);
    placed.push({ ...label, lines, x, y: (area.top + area.bottom) / 2 });
  }
  for (const label of placed) if (label.faded) paintName(pen, label);
  if (placed.some(({ faded }) => faded) && areFewKept()) paintKept(pen);
  for (const label of placed) if (!label.faded) paintName(pen, label);
}

function paintName(pen, { node, x, y, size, lines, faded, fine }) {
  const now = colours(), own = colourShown() === "topic" ? textColourOf(coloursOfTopics(state.model)[node], themeName()) : now.ink;
  pen.font = fontOf(size);
  pen.strokeStyle = now.card;
  pen.lineWidth = size > 15 ? 5 : 4;
  pen.fillStyle = faded ? now.faint : fine ? now.muted : own;
  lines.forEach((line, row) => {
    const ly = y + (row - (lines.length - 1) / 2) * size * 1.12;
    pen.strokeText(line, x, ly);
    pen.fillText(line, x, ly);
  });
}

function labelAt([sx, sy]) {
  const holds = ({ left, right, top, bottom }) => sx > left && sx < right && sy > top && sy < bottom;
  return labelBoxes.find((area) => area.node !== null && holds(area))?.node ?? null;
}
