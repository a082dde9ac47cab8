// Names of topics on the map: at the median of their points, the larger first, none over another.
let labelBoxes = []; // of what was drawn last: {node, left, top, right, bottom}
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

const fontOf = (size) => `600 ${size}px ${getComputedStyle(document.documentElement).getPropertyValue("--serif")}`;

// Topics of the level; as one zooms in, also the finer topics they are made of.
function labelCandidates() {
  const T = levelOf(state.model), tree = treeOf(state.model);
  const coarse = placesOf(state.model, T), most = coarse.length ? coarse[0].n : 1;
  const small = box.width < 500 ? 10 : 12;
  const labels = coarse.map((place) => ({ ...place, size: Math.round(small + (box.width < 500 ? 5 : 9) * Math.sqrt(place.n / most) + Math.min(3, 2 * Math.log10(view.k))) }));
  if (view.k > 2.5 && T < tree.L) {
    const known = new Set(coarse.map(({ node }) => node));
    const finer = placesOf(state.model, Math.round(clamp(T * view.k / 1.5, T, tree.L))).filter(({ node }) => !known.has(node));
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
  return labels;
}

// A level at which a node is one of the topics.
const levelWith = (tree, node) => (node < tree.L ? tree.L : 2 * tree.L - 1 - node);

function paintLabels(pen) {
  labelBoxes = [];
  if (!models[state.model].topics) return;
  const now = colours(), theme = themeName(), colour = coloursOfTopics(state.model), pad = 3;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  for (const { node, x, y, size, faded, fine } of labelCandidates()) {
    let [sx, sy] = toScreen(x, y);
    if (sx < 0 || sy < 0 || sx > box.width || sy > box.height) continue;
    const { lines, width, height } = measured(pen, nameOfTopic(state.model, node), size);
    sx = clamp(sx, width / 2 + 6, Math.max(box.width - width / 2 - 6, width / 2 + 6));
    sy = clamp(sy, height / 2 + 6, box.height - height / 2 - 6);
    const area = { node, left: sx - width / 2 - pad, right: sx + width / 2 + pad, top: sy - height / 2 - pad, bottom: sy + height / 2 + pad };
    if (labelBoxes.some((other) => area.left < other.right && other.left < area.right && area.top < other.bottom && other.top < area.bottom)) continue;
    labelBoxes.push(area);
    pen.font = fontOf(size);
    pen.globalAlpha = faded ? 0.35 : 1;
    pen.strokeStyle = now.card;
    pen.lineWidth = size > 15 ? 5 : 4;
    pen.fillStyle = fine ? now.muted : colourShown() === "topic" && !faded ? textColourOf(colour[node], theme) : now.ink;
    lines.forEach((line, row) => {
      const ly = sy + (row - (lines.length - 1) / 2) * size * 1.12;
      pen.strokeText(line, sx, ly);
      pen.fillText(line, sx, ly);
    });
    pen.globalAlpha = 1;
  }
  canvas.dataset.labels = labelBoxes.length;
}

const labelAt = ([sx, sy]) => labelBoxes.find(({ left, right, top, bottom }) => sx > left && sx < right && sy > top && sy < bottom)?.node ?? null;
