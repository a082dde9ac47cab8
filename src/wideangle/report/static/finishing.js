// What the models said of the documents, finished at any granularity as the library finishes it (wideangle.finishing).
const LEVELS = 256; // of each number of a document
const SURE = 1e-7; // A probability is kept this far from 0 and 1, whose logits are not finite.
const finishedRows = []; // of each model the rows at the granularity that was asked for last

const sliderOf = (i) => models[i].slider ?? null;
const stepsOf = (i) => numbers(byId("steps").textContent.split(" ")[i], Uint8Array); // It is most of the page's numbers, and few ask for it.
const hardness = (g) => 0.25 + 0.75 * g * g;
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

// (σ(t z) − σ(t c)) / t of every number that a document can have, LEVELS of them for each component. The page holds σ(t z) with the t
// of details. Vectors that are no logits stay as they are.
function softenedLevels({ components: K, low, step, centre }, g) {
  const lows = numbers(low, Float32Array), steps = numbers(step, Float32Array), c = numbers(centre, Float32Array);
  const values = new Float64Array(K * LEVELS), t = hardness(g);
  for (let k = 0; k < K; k++) {
    for (let level = 0; level < LEVELS; level++) {
      const value = lows[k] + level * steps[k], p = clamp(value, SURE, 1 - SURE);
      values[k * LEVELS + level] = c ? (sigmoid((t * Math.log(p / (1 - p))) / hardness(0)) - sigmoid(t * c[k])) / t : value;
    }
  }
  return values;
}

// What is subtracted from rows of unit length, and the symmetric matrix that they are multiplied by; linear between the knots.
function distanceAt({ components: K, knots, middles, roots }, g) {
  const after = Math.max(knots.findIndex((knot) => knot >= g), 1), share = (g - knots[after - 1]) / (knots[after] - knots[after - 1]);
  const mixed = (all, size, place) => (1 - share) * all[(after - 1) * size + place] + share * all[after * size + place];
  const middle = new Float64Array(K), root = new Float64Array(K * K), half = (K * (K + 1)) / 2;
  const [allMiddles, allRoots] = [numbers(middles, Float32Array), numbers(roots, Float32Array)];
  let place = 0;
  for (let j = 0; j < K; j++) {
    middle[j] = mixed(allMiddles, K, j);
    for (let k = j; k < K; k++) root[j * K + k] = root[k * K + j] = mixed(allRoots, half, place++);
  }
  return { middle, root };
}

function toUnitLength(row) {
  let squares = 0;
  for (const value of row) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  for (let k = 0; k < row.length; k++) row[k] /= length;
}

// All documents of a model, row after row. A document without words is zeros.
function finishedAt(i, g) {
  if (finishedRows[i]?.g === g) return finishedRows[i];
  const slider = sliderOf(i), { components: K } = slider, n = data.documents.shown;
  const values = softenedLevels(slider, g), { middle, root } = distanceAt(slider, g), levels = stepsOf(i);
  const rows = new Float32Array(n * K), isEmpty = new Uint8Array(n), row = new Float64Array(K), out = new Float64Array(K);
  for (const d of slider.empty) isEmpty[d] = 1;
  for (let d = 0; d < n; d++) {
    if (isEmpty[d]) continue;
    for (let k = 0; k < K; k++) row[k] = values[k * LEVELS + levels[d * K + k]];
    toUnitLength(row);
    for (let k = 0; k < K; k++) row[k] -= middle[k];
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let j = 0, at = k * K; j < K; j++, at++) sum += row[j] * root[at];
      out[k] = sum;
    }
    toUnitLength(out);
    rows.set(out, d * K);
  }
  finishedRows[i] = { g, rows, isEmpty };
  return finishedRows[i];
}

// The nearest others of a document, at most so many; of equally near ones the first.
function nearestAt(i, d, g, most) {
  const { rows, isEmpty } = finishedAt(i, g), { components: K } = sliderOf(i), best = [];
  for (let other = 0; other < isEmpty.length; other++) {
    if (other === d) continue;
    let near = isEmpty[other] ? 0 : -1; // minus the squared distance, less what is the same for all
    for (let k = 0; k < K; k++) near += 2 * rows[d * K + k] * rows[other * K + k];
    if (best.length === most && near <= best[most - 1][1]) continue;
    let place = best.length;
    while (place > 0 && best[place - 1][1] < near) place--;
    best.splice(place, 0, [other, near]);
    best.length = Math.min(best.length, most);
  }
  return best.map(([other]) => other);
}
