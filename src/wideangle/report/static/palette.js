// Colours and shapes of topics and classes. Neighbours on the map get colours that differ, for colour-blind readers too, and
// shapes that differ, for those who see no colours. A colour means one thing: plum is for near-duplicates alone, and where two
// models are compared, blue and vermilion are theirs, as is the diamond.
const HUES = comparing ? [155, 300, 95, 205, 20, 130, 275, 70, 180] : [250, 45, 155, 300, 95, 205, 20, 275, 130, 70];
const SHAPES = ["circle", "triangle", "square", "cross", "wedge"];
const SHAPE_APART = 0.08; // so much of a difference in colour does another shape count
// Lightness and chroma in OKLCH of two tones: contrast with the background of the theme is at least 3, of text 4.5.
const TONES = { light: [[0.47, 0.13], [0.6, 0.135]], dark: [[0.69, 0.12], [0.84, 0.1]] };
const TEXT_TONES = { light: [[0.4, 0.1], [0.47, 0.11]], dark: [[0.8, 0.09], [0.88, 0.07]] };
// How people without red and without green receptors see linear RGB (Machado, Oliveira and Fernandes, 2009).
const AS_SEEN = [
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
];
const times = (matrix, vector) => matrix.map((row) => row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2]);

// OKLab (Ottosson, 2020) and linear RGB, by way of the responses of three kinds of cones.
const CONES_FROM_LAB = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]];
const RGB_FROM_CONES = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]];
const CONES_FROM_RGB = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
const LAB_FROM_CONES = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]];
const linearFromLab = (lab) => times(RGB_FROM_CONES, times(CONES_FROM_LAB, lab).map((x) => x ** 3)).map((x) => clamp(x, 0, 1));
const labFromLinear = (rgb) => times(LAB_FROM_CONES, times(CONES_FROM_RGB, rgb).map(Math.cbrt));

function linearFrom([L, chroma], hue) {
  const angle = (hue * Math.PI) / 180;
  return linearFromLab([L, chroma * Math.cos(angle), chroma * Math.sin(angle)]);
}

function css(linear) {
  const bytes = linear.map((x) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));
  return `rgb(${bytes.join(", ")})`;
}

const shapeOfColour = (c) => SHAPES[c % SHAPES.length];

// Colour c is hue c/2 in tone c%2. Tones take turns, so that the first ten colours differ in hue.
const N_COLOURS = 2 * HUES.length;
const colourOf = (c, theme) => css(linearFrom(TONES[theme][c % 2], HUES[c >> 1]));
const textColourOf = (c, theme) => css(linearFrom(TEXT_TONES[theme][c % 2], HUES[c >> 1]));

// How different two colours look: to the one who tells them apart worst, and half as much to the eye that sees all colours.
const differences = (() => {
  const seen = Array.from({ length: N_COLOURS }, (_, c) =>
    AS_SEEN.map((eye) => labFromLinear(times(eye, linearFrom(TONES.light[c % 2], HUES[c >> 1])).map((x) => clamp(x, 0, 1)))));
  const apart = (one, other) => one.map((lab, eye) => Math.hypot(...lab.map((x, k) => x - other[eye][k])));
  const byShape = (c, other) => (shapeOfColour(c) === shapeOfColour(other) ? 0 : SHAPE_APART);
  return seen.map((one, c) => seen.map((other, k) => Math.min(...apart(one, other)) + 0.5 * apart(one, other)[0] + byShape(c, k)));
})();

// The colour for a place that quarrels least with those given already: near and alike costs most.
function quietestColour(x, y, given) {
  let best = 0, least = Infinity;
  for (let c = 0; c < N_COLOURS; c++) {
    let cost = 0;
    for (const other of given) {
      cost += 1 / ((0.004 + (x - other.x) ** 2 + (y - other.y) ** 2) * (0.0015 + differences[c][other.colour] ** 2));
    }
    if (cost < least) [best, least] = [c, cost];
  }
  return best;
}

// Means of the points of groups (leaves or classes): [x, y, how many] each.
function centresOf(groups, groupOf) {
  const sums = Array.from({ length: groups }, () => [0, 0, 0]);
  const { x, y } = points();
  for (let d = 0; d < x.length; d++) {
    const sum = sums[groupOf[d]];
    if (!sum) continue;
    sum[0] += x[d];
    sum[1] += y[d];
    sum[2] += 1;
  }
  return sums;
}

// From the root down: of the two parts of a topic the larger keeps its colour, the smaller gets a new one. So colours stay when the
// level changes.
const topicColours = [];
function coloursOfTopics(i) {
  if (topicColours[i]) return topicColours[i];
  const tree = treeOf(i), colour = new Uint8Array(tree.nodes.length);
  const sums = centresOf(tree.L, tree.leaves);
  for (const [a, b] of tree.merges) sums.push([0, 1, 2].map((k) => sums[a][k] + sums[b][k]));
  const placed = (node) => ({ node, x: sums[node][0] / (sums[node][2] || 1), y: sums[node][1] / (sums[node][2] || 1), colour: colour[node] });
  let given = [placed(tree.nodes.length - 1)];
  for (let m = tree.merges.length - 1; m >= 0; m--) {
    const node = tree.L + m;
    const [large, small] = [...tree.merges[m]].sort((a, b) => tree.nodes[b].size - tree.nodes[a].size);
    colour[large] = colour[node];
    given = given.filter((other) => other.node !== node);
    given.push(placed(large));
    const { x, y } = placed(small);
    colour[small] = quietestColour(x, y, given);
    given.push(placed(small));
  }
  topicColours[i] = colour;
  return colour;
}

let classColours = null;
function coloursOfClasses() {
  if (classColours) return classColours;
  const sums = centresOf(data.classes.length, numbers(data.documents.classes, Int16Array));
  classColours = new Uint8Array(sums.length);
  const given = [];
  for (const number of sums.map((_, k) => k).sort((a, b) => sums[b][2] - sums[a][2])) {
    const [x, y, n] = sums[number];
    if (!n) continue;
    classColours[number] = quietestColour(x / n, y / n, given);
    given.push({ x: x / n, y: y / n, colour: classColours[number] });
  }
  return classColours;
}

const themeName = () => (isDark() ? "dark" : "light");
const hasMap = () => data.documents !== null && data.documents.shown > 0;

// The number of a topic's colour; null where there is no map that would show it.
const topicColour = (i, node) => (hasMap() ? coloursOfTopics(i)[node] : null);

// A mark in the colour and the shape that a topic or a class has on the map.
function swatch(colour) {
  const mark = el("span", { class: `swatch ${colour === null ? "circle" : shapeOfColour(colour)}`, "aria-hidden": "true" });
  mark.style.background = colour === null ? "currentColor" : colourOf(colour, themeName());
  return mark;
}
