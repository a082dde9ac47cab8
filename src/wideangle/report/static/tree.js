// The tree of topics of each model: L leaves, and L-1 merges, each of which makes one node of two.
const trees = [];

// Leaves are put in an order in which each node covers a stretch of them: whether a document is under a node is one comparison.
function treeOf(i) {
  const { topics } = models[i];
  if (!topics) return null;
  if (trees[i]) return trees[i];
  const { nodes, merges } = topics, L = (nodes.length + 1) / 2;
  const parent = new Int32Array(nodes.length).fill(-1), place = new Int32Array(L), from = new Int32Array(nodes.length), to = new Int32Array(nodes.length);
  merges.forEach(([a, b], m) => (parent[a] = parent[b] = L + m));
  let next = 0;
  const waiting = [nodes.length - 1];
  const closing = [];
  while (waiting.length) {
    const node = waiting.pop();
    if (node < 0) {
      to[closing.pop()] = next;
      continue;
    }
    from[node] = next;
    if (node < L) {
      place[node] = next++;
      to[node] = next;
    } else {
      closing.push(node);
      waiting.push(-1, merges[node - L][1], merges[node - L][0]);
    }
  }
  trees[i] = { L, nodes, merges, parent, place, from, to, leaves: numbers(topics.leaves, Uint16Array), levels: new Map() };
  return trees[i];
}

const levelOf = (i) => {
  const tree = treeOf(i);
  return tree && clamp(i === state.model && state.level ? state.level : followedLevel(i), Math.min(1, tree.L), tree.L);
};

// How many topics the slider from broad to fine asks for: those chosen at the model's own granularity, a quarter of them for broad
// groups and twice as many for fine details. Equal steps of the slider multiply the number by equal factors.
function followedLevel(i, granularity = state.granularity) {
  const { chosen } = models[i].topics, { L } = treeOf(i), own = sliderOf(i)?.own, g = granularity ?? own;
  if (own === undefined || g === own) return chosen;
  const [end, share] = g > own ? [Math.max(2, chosen / 4), (g - own) / (1 - own)] : [2 * chosen, (own - g) / own];
  return clamp(Math.round(chosen * (end / chosen) ** share), Math.min(2, chosen), g > own ? chosen : L);
}

// The T topics that are left when the first L-T merges are made, and the topic of each leaf.
function topicsAt(i, T = levelOf(i)) {
  const tree = treeOf(i);
  if (!tree) return { shown: [], ofLeaf: null };
  if (!tree.levels.has(T)) {
    const made = tree.nodes.length + 1 - T; // of nodes below this number L are leaves and L-T are merges
    const shown = [], ofPlace = new Int32Array(tree.L), ofLeaf = new Int32Array(tree.L);
    for (let node = 0; node < made; node++) {
      if (tree.parent[node] >= 0 && tree.parent[node] < made) continue;
      shown.push(node);
      ofPlace.fill(node, tree.from[node], tree.to[node]);
    }
    for (let leaf = 0; leaf < tree.L; leaf++) ofLeaf[leaf] = ofPlace[tree.place[leaf]];
    tree.levels.set(T, { shown, ofLeaf });
  }
  return tree.levels.get(T);
}

// The topic of a document at a level; null where it has none.
function topicOfDocument(i, document, T = levelOf(i)) {
  const tree = treeOf(i);
  const leaf = tree ? tree.leaves[document] : NONE;
  return leaf === NONE || leaf === undefined ? null : topicsAt(i, T).ofLeaf[leaf];
}

function isUnder(i, document, node) {
  const tree = treeOf(i), leaf = tree.leaves[document];
  return leaf !== NONE && tree.place[leaf] >= tree.from[node] && tree.place[leaf] < tree.to[node];
}

const covers = (tree, node, other) => tree.from[node] <= tree.from[other] && tree.to[other] <= tree.to[node];
const partsOf = (tree, node) => (node < tree.L ? [] : tree.merges[node - tree.L]);
const nameOfTopic = (i, node) => treeOf(i).nodes[node].name || `topic ${node + 1}`;

function angleBetween(i, a, b) {
  const all = numbers(models[i].topics.closeness, Uint8Array);
  return all ? all[a * nodesOf(i) + b] : NaN;
}

// Other topics of the level, the nearest first: [node, degrees].
function nearestTopics(i, node, T = levelOf(i)) {
  const tree = treeOf(i);
  return topicsAt(i, T).shown.filter((other) => !covers(tree, node, other) && !covers(tree, other, node))
    .map((other) => [other, angleBetween(i, node, other)]).filter(([, angle]) => Number.isFinite(angle)).sort((a, b) => a[1] - b[1]);
}

// The angle to the nearest other topic of the level; NaN where there is none.
function nearestAngle(i, node, T = levelOf(i)) {
  const tree = treeOf(i);
  let least = NaN;
  for (const other of topicsAt(i, T).shown) {
    if (covers(tree, node, other) || covers(tree, other, node)) continue;
    const angle = angleBetween(i, node, other);
    if (!(angle >= least)) least = angle;
  }
  return least;
}

// The share of a topic's documents that its most frequent class has.
function purityOf(i, node) {
  const { classes, size } = treeOf(i).nodes[node];
  return classes && classes.length && size ? classes[0][1] / size : NaN;
}

// When the level changes, a selected topic that is finer than the level gives way to the one that holds it.
function followedTopic(i, node, T) {
  const tree = treeOf(i);
  return topicsAt(i, T).shown.find((other) => covers(tree, other, node)) ?? node;
}
