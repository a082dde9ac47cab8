// The angles of all pairs of components: one square per model, both in one order, so that the same place is the same pair.
const MATRIX_PIXELS = 720; // about as wide is a square drawn; the style shows it smaller
const SEEN_PIXELS = 3; // a near-duplicate is drawn at least this large, or it would vanish among 500 components
const CLOSEST = 6; // pairs in the list beside one model's matrix
const PAIR_WORDS = 4;
const matrixState = { row: 0, column: 1 };
const matrixOf = (model) => numbers(model.angles.matrix, Float32Array);
const drawnMatrices = () => models.filter(({ components }) => components > 1);

// An angle under the limit does not read as the limit: 29.96° is said as 29.9°.
function angleText(angle) {
  if (!Number.isFinite(angle)) return "no angle";
  return `${(angle < data.degrees ? Math.floor(angle * 10 + 1e-9) / 10 : angle).toFixed(1)}°`;
}

// A colour as the canvas keeps it, #rrggbb, in three numbers.
function rgbOf(colour) {
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = colour;
  return [1, 3, 5].map((start) => parseInt(context.fillStyle.slice(start, start + 2), 16));
}

// The four bytes of a pixel in one number, as a little-endian machine keeps them.
const pixelOf = ([red, green, blue]) => ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;

// From the colour of the card at 90° towards grey at 0°. Near-duplicates have a colour of their own, and a slash.
function anglePalette() {
  const { card, ink, close, muted } = colours();
  const [from, to] = [rgbOf(card), rgbOf(ink)];
  const steps = Array.from({ length: 181 }, (_, half) => pixelOf(from.map((value, i) => value + ((to[i] - value) * (180 - half)) / 180)));
  return { slash: pixelOf(from), close: pixelOf(rgbOf(close)), itself: pixelOf(rgbOf(muted)), of: (angle) => steps[Math.round(2 * angle)] };
}

const inSlash = (x, y, size) => size >= 6 && Math.abs(x + y + 1 - size) < size * 0.14;

function paintCell(pixels, width, left, top, size, colour, slash = null) {
  for (let y = Math.max(top, 0); y < Math.min(top + size, width); y++) {
    for (let x = Math.max(left, 0); x < Math.min(left + size, width); x++) {
      pixels[y * width + x] = slash !== null && inSlash(x - left, y - top, size) ? slash : colour;
    }
  }
}

function drawMatrix(canvas, model) {
  const { order } = model.angles;
  const K = order.length, angles = matrixOf(model), palette = anglePalette();
  const cell = Math.max(1, Math.floor(MATRIX_PIXELS / K)), width = cell * K;
  canvas.width = canvas.height = width;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, width);
  const pixels = new Uint32Array(image.data.buffer);
  const doubles = [];
  for (let row = 0; row < K; row++) {
    for (let column = 0; column < K; column++) {
      const angle = angles[order[row] * K + order[column]];
      if (Number.isNaN(angle)) continue;
      if (row !== column && angle < data.degrees) doubles.push([row, column]);
      else paintCell(pixels, width, column * cell, row * cell, cell, row === column ? palette.itself : palette.of(angle));
    }
  }
  const size = Math.max(cell, SEEN_PIXELS), shift = Math.floor((size - cell) / 2);
  for (const [row, column] of doubles) paintCell(pixels, width, column * cell - shift, row * cell - shift, size, palette.close, palette.slash);
  context.putImageData(image, 0, 0);
}

function drawScale(canvas) {
  const palette = anglePalette();
  canvas.width = 360;
  canvas.height = 24;
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let x = 0; x < image.width; x++) {
    const angle = (90 * x) / image.width;
    for (let y = 0; y < image.height; y++) {
      const near = inSlash(x % image.height, y, image.height) ? palette.slash : palette.close;
      pixels[y * image.width + x] = angle < data.degrees ? near : palette.of(angle);
    }
  }
  context.putImageData(image, 0, 0);
}

function drawMatrices() {
  for (const model of drawnMatrices()) drawMatrix(byId(`matrix-${models.indexOf(model)}`), model);
  if (drawnMatrices().length) drawScale(byId("angle-scale"));
}

function startMatrices() {
  drawMatrices();
  if (drawnMatrices().length) pointAtClosest();
}

const firstWords = (model, number) => (model.units?.[number] ?? []).slice(0, PAIR_WORDS).join(", ");

// What stands at a place of the matrix of one model.
function pairText(model, row, column) {
  const { order } = model.angles;
  if (row >= order.length || column >= order.length) return "no component here";
  const [i, j] = [order[row], order[column]].sort((a, b) => a - b);
  if (i === j) return [`component ${i + 1} itself`, firstWords(model, i)].filter(Boolean).join(": ");
  const angle = matrixOf(model)[i * order.length + j];
  const words = [firstWords(model, i), firstWords(model, j)].filter(Boolean).join(" / ");
  return `components ${i + 1} and ${j + 1}: ${angleText(angle)}${angle < data.degrees ? ", near-duplicates" : ""}${words ? `. ${words}` : ""}`;
}

// Mark a pair in both squares, and tell of it below them; a screen reader is told by `spoken`, the model it moves in.
function pointAtPair(row, column, spoken = null) {
  Object.assign(matrixState, { row, column });
  models.forEach((model, i) => {
    if (!byId(`matrix-${i}`)) return;
    const K = model.angles.order.length, mark = byId(`matrix-mark-${i}`);
    byId(`matrix-says-${i}`).replaceChildren(...(comparing ? [signOf(i), `: ${pairText(model, row, column)}`] : [capital(pairText(model, row, column))]));
    mark.hidden = row >= K || column >= K;
    mark.style.cssText = `left: ${(100 * (column + 0.5)) / K}%; top: ${(100 * (row + 0.5)) / K}%; width: ${100 / K}%; height: ${100 / K}%`;
  });
  if (spoken) say(`${comparing ? `${spoken.name}: ` : ""}${pairText(spoken, row, column)}`);
}

// Until someone points: the closest pair of the first model that has one, and what stands at its place in the other.
function pointAtClosest() {
  const [model] = drawnMatrices();
  const [closest] = closestPairs(model, 1);
  const [row, column] = closest ? closest.slice(0, 2).map((k) => model.angles.order.indexOf(k)).sort((a, b) => a - b) : [0, 1];
  pointAtPair(row, column);
}

// The next near-duplicate in reading order, above the diagonal; from the last the first again.
function nextDouble(model, row, column) {
  const { order } = model.angles;
  const K = order.length, angles = matrixOf(model);
  for (let step = 1; step <= K * K; step++) {
    const place = (row * K + column + step) % (K * K);
    const [r, c] = [Math.floor(place / K), place % K];
    if (r < c && angles[order[r] * K + order[c]] < data.degrees) return [r, c];
  }
  return [row, column];
}

function matrixKey(event, model) {
  const K = model.angles.order.length;
  const [r, c] = [Math.min(matrixState.row, K - 1), Math.min(matrixState.column, K - 1)];
  const moves = {
    ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1], ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], Home: [r, 0], End: [r, K - 1],
  };
  const wanted = event.key === "n" ? nextDouble(model, r, c) : moves[event.key];
  if (!wanted) return;
  event.preventDefault();
  pointAtPair(clamp(wanted[0], 0, K - 1), clamp(wanted[1], 0, K - 1), model);
}

function matrixMove(event, model) {
  const K = model.angles.order.length, box = event.currentTarget.getBoundingClientRect();
  const at = (offset, length) => clamp(Math.floor((K * offset) / length), 0, K - 1);
  pointAtPair(at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width));
}

function anglesSaid({ angles, components }) {
  if (components < 2) return "one component, so there is no angle";
  const dead = angles.dead ? `, ${count(angles.dead)} without a direction` : "";
  if (angles.mean === null) return `no two components have a direction${dead}`;
  return `mean ${angleText(angles.mean)}, smallest ${angleText(angles.smallest)}, ${plural(angles.redundant, "near-duplicate pair")}${dead}`;
}

function matrixFigure(model, i) {
  const caption = el("figcaption", {}, comparing ? [el("b", {}, signOf(i)), ": ", anglesSaid(model)] : capital(anglesSaid(model)));
  if (model.components < 2) return el("figure", { class: "matrix" }, caption);
  return el("figure", { class: "matrix" }, caption,
    el("div", { class: "square", style: `max-width: ${3 * model.components}rem` },
      el("canvas", {
        id: `matrix-${i}`, tabindex: "0", role: "application", "aria-roledescription": "matrix of angles",
        "aria-label": `Angles${comparing ? ` of ${model.name}` : ""}: ${anglesSaid(model)}. Arrow keys move from pair to pair, n to the next near-duplicates.`,
        onmousemove: (event) => matrixMove(event, model), onclick: (event) => matrixMove(event, model),
        onkeydown: (event) => matrixKey(event, model),
      }),
      el("i", { id: `matrix-mark-${i}`, class: "cell", hidden: true })));
}

// The closest pairs of one model, under the limit or not.
function closestPairs(model, most) {
  const K = model.components, angles = matrixOf(model), found = [];
  for (let i = 0; i < K; i++) {
    for (let j = i + 1; j < K; j++) {
      const angle = angles[i * K + j];
      if (Number.isNaN(angle) || (found.length === most && angle >= found[most - 1][2])) continue;
      found.push([i, j, angle]);
      found.sort((a, b) => a[2] - b[2]);
      found.length = Math.min(found.length, most);
    }
  }
  return found;
}

function closestList(model) {
  const { order } = model.angles;
  const rows = closestPairs(model, CLOSEST).map(([i, j, angle]) => el("li", {},
    el("button", { type: "button", class: "link", onclick: () => pointAtPair(order.indexOf(i), order.indexOf(j), model) }, `${i + 1} and ${j + 1}`),
    " ", el("b", {}, angleText(angle)), angle < data.degrees ? " near-duplicates" : "",
    el("small", {}, [firstWords(model, i), firstWords(model, j)].filter(Boolean).join(" / "))));
  return rows.length ? el("div", { class: "closest" }, el("h4", {}, "The closest pairs"), el("ol", {}, rows)) : null;
}

function anglesPart() {
  const kinds = [...new Set(models.map(({ angles }) => angles.kind))];
  const kind = kinds.length === 1 ? kinds[0] : models.map(({ name, angles }) => `${angles.kind} for ${name}`).join(", ");
  const together = comparing && drawnMatrices().length === 2
    ? ` Both squares are in one order: ${models[0].name}’s components by closeness, and each component of ${models[1].name} at the place of its partner.` : "";
  const enlarged = drawnMatrices().some(({ components }) => MATRIX_PIXELS / components < SEEN_PIXELS) ? " They are drawn larger than other pairs, to be seen." : "";
  const drawn = drawnMatrices().length > 0;
  return el("div", { class: "part", id: "angle-matrices" }, el("h3", {}, "Angles between components"),
    el("p", { class: "legend" }, `Angles ${kind}.${together}`),
    drawn ? el("div", { class: "angle-legend" },
      el("div", { class: "scale" }, el("canvas", { id: "angle-scale", role: "img", "aria-label": `Colours from 0° to 90°; under ${data.degrees}° slashed` }),
        el("div", { class: "ticks" }, [...new Set([0, data.degrees, 60, 90])].map((tick) => el("span", { style: `left: ${(100 * tick) / 90}%` }, `${tick}°`)))),
      el("span", { class: "hint" }, `Slashed: near-duplicates, under ${data.degrees}°.${enlarged}`)) : "",
    el("div", { class: comparing ? "matrices" : "matrices alone" }, models.map(matrixFigure),
      drawn ? el("div", { class: "pair-says" }, el("p", { class: "hint" }, "Point at a square, or move by the arrow keys, to read of a pair."),
        models.map((model, i) => (model.components > 1 ? el("p", { id: `matrix-says-${i}` }) : ""))) : "",
      !comparing && drawn ? closestList(models[0]) : ""));
}

whenThemed(() => {
  if (byId("angle-matrices")) drawMatrices();
});
