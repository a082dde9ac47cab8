// Names of topics on the map, beside their points: the larger first, none over another. mapplaces.js finds the places.
let labelBoxes = []; // of what was drawn last: {node, left, top, right, bottom}
let placedLabels = []; // of topics: {node, x, y: its middle, ax, ay: the document its line leads to, lines, size, …}
const NAMES_FROM = 5; // times magnified: from here on documents are named
const MOST_NAMES = 400;
const labelCache = new Map();

function median(values) {
  values.sort();
  return values[values.length >> 1];
}

function standOf(xs, ys) {
  const mx = median(xs.slice()), my = median(ys.slice()), far = xs.map((x, k) => Math.hypot(x - mx, ys[k] - my));
  const nearest = far.reduce((best, value, k) => (value < far[best] ? k : best), 0);
  return { x: xs[nearest], y: ys[nearest], spread: median(far) };
}

// Where the topics of a level stand: [{node, x, y, n, spread}], the larger first. A topic stands at its document next to the median of
// all its documents, so that a line leads to a point of it; half of its documents lie within `spread`.
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
  const places = [...lists].filter(([, { used }]) => used).map(([node, { xs, ys, used }]) => ({ node, n: used, ...standOf(xs, ys) })).sort((a, b) => b.n - a.n);
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
  const room = Math.min(1, 30 / coarse.length); // Of many topics none is written large.
  const labels = coarse.map((place) => ({ ...place, size: Math.round(small + room * range * Math.sqrt(place.n / most) + nearer) }));
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

function paintLabels(pen) {
  labelBoxes = [...ownCorners()];
  placedLabels = [];
  if (models[state.model].topics) paintTopicNames(pen);
  canvas.dataset.labels = placedLabels.length;
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
    if (area.right > box.width || labelBoxes.some((other) => isOver(area, other))) continue;
    labelBoxes.push(area);
    pen.strokeText(name, sx + r + 4, sy);
    pen.fillText(name, sx + r + 4, sy);
  }
}

// Names that stand back, then the points that do not where they are few, then the other names.
function paintTopicNames(pen) {
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  placedLabels = placesOfLabels(pen);
  labelBoxes.push(...placedLabels.map(({ node, area }) => ({ node, ...area })));
  const drawn = labelsInMotion(placedLabels);
  for (const label of drawn) paintLeader(pen, label);
  for (const label of drawn) if (label.faded) paintName(pen, label);
  if (drawn.some(({ faded }) => faded) && areFewKept()) paintKept(pen);
  for (const label of drawn) if (!label.faded) paintName(pen, label);
  pen.globalAlpha = 1;
}

const inkOfLabel = ({ node, faded, fine }) => {
  const now = colours();
  return faded ? now.faint : fine ? now.muted : colourShown() === "topic" ? textColourOf(coloursOfTopics(state.model)[node], themeName()) : now.ink;
};

// A line from the name to a document of its topic, where the name stands apart from it.
function paintLeader(pen, label) {
  const { x, y, ax, ay, half } = label, ex = clamp(ax, x - half[0], x + half[0]), ey = clamp(ay, y - half[1], y + half[1]);
  if (Math.hypot(ax - ex, ay - ey) < 14) return;
  pen.globalAlpha = label.alpha ?? 1;
  for (const [width, style] of [[3, colours().card], [1.2, inkOfLabel(label)]]) {
    pen.lineWidth = width;
    pen.strokeStyle = style;
    pen.beginPath();
    pen.moveTo(ex, ey);
    pen.lineTo(ax, ay);
    pen.stroke();
  }
}

function paintName(pen, label) {
  const { x, y, size, lines } = label;
  pen.globalAlpha = label.alpha ?? 1;
  pen.font = fontOf(size);
  pen.strokeStyle = colours().card;
  pen.lineWidth = size > 15 ? 5 : 4;
  pen.fillStyle = inkOfLabel(label);
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
