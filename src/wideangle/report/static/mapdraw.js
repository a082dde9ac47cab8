// Painting the map: points from small pictures made once per colour, then marks of what is selected, then labels.
let canvas = null;
let layer = null; // the points alone, so that a slow machine can move them as one picture
let layerView = null;
let layerCost = 0;
let frame = 0;
let settling = 0;
let hovered = null;
const FEW = 0.1; // a smaller part of the points than this is drawn larger when the others are dimmed
const SMOOTH = 14; // milliseconds: points that take longer to draw are drawn anew only when the map rests

function radiusOfPoints() {
  const room = Math.sqrt((box.width * box.height) / Math.max(points().x.length, 1));
  return clamp(0.21 * room, 1.7, 5) * Math.min(view.k ** 0.35, 2.6);
}

function tracedShape(pen, shape, x, y, r) {
  pen.beginPath();
  if (shape === "diamond") {
    pen.moveTo(x, y - 1.35 * r);
    pen.lineTo(x + 1.35 * r, y);
    pen.lineTo(x, y + 1.35 * r);
    pen.lineTo(x - 1.35 * r, y);
    pen.closePath();
  } else if (shape === "square") pen.rect(x - 0.92 * r, y - 0.92 * r, 1.84 * r, 1.84 * r);
  else if (shape === "triangle" || shape === "wedge") {
    const up = shape === "triangle" ? 1 : -1;
    pen.moveTo(x, y - up * 1.25 * r);
    pen.lineTo(x + 1.2 * r, y + up * 0.9 * r);
    pen.lineTo(x - 1.2 * r, y + up * 0.9 * r);
    pen.closePath();
  } else if (shape === "cross") {
    pen.rect(x - 0.45 * r, y - 1.2 * r, 0.9 * r, 2.4 * r);
    pen.rect(x - 1.2 * r, y - 0.45 * r, 2.4 * r, 0.9 * r);
  }
  else pen.arc(x, y, r, 0, 2 * Math.PI);
}

const shapeOfModel = (i) => (i ? "diamond" : "circle");

// Group 255 is without a topic, class or finder: a grey ring.
function lookOf(group, dim) {
  const now = colours();
  if (dim) return { fill: now.dimmed, shape: "circle" };
  if (group === 255 || colourShown() === "none") return { fill: now.neither, shape: "circle", hollow: group === 255 && colourShown() !== "none" };
  if (colourShown() === "found") return { fill: now[FOUND[group]], shape: ["circle", "circle", "diamond", "square"][group], hollow: group === 0 };
  return { fill: colourOf(group, themeName()), shape: shapeOfColour(group) };
}

// Found by one model alone: these few points are what the comparison is about.
const isAlone = (group) => colourShown() === "found" && (group === 1 || group === 2);

// Browsers draw a bitmap faster than a canvas, which they look at anew each time. Only canvases off the page become bitmaps.
const newPicture = (size) => (typeof OffscreenCanvas === "function" ? new OffscreenCanvas(size, size) : Object.assign(document.createElement("canvas"), { width: size, height: size }));

// A small picture of a point: solid in the middle, soft at its rim.
function spriteOf(group, dim, ratio) {
  const key = 2 * group + dim;
  if (!styling.sprites.has(key)) {
    const { fill, shape, hollow } = lookOf(group, dim), larger = !dim && (areFewKept() || isAlone(group)) ? 1.5 : 1;
    const r = radiusOfPoints() * ratio * larger, size = 2 * Math.ceil(1.45 * r + 2);
    const picture = newPicture(size), pen = picture.getContext("2d");
    pen.fillStyle = pen.strokeStyle = fill;
    if (hollow) {
      pen.lineWidth = Math.max(1, 0.5 * r);
      tracedShape(pen, shape, size / 2, size / 2, 0.8 * r);
      pen.stroke();
    } else {
      pen.globalAlpha = 0.35;
      tracedShape(pen, shape, size / 2, size / 2, r + 0.35 * ratio);
      pen.fill();
      pen.globalAlpha = 0.92;
      tracedShape(pen, shape, size / 2, size / 2, 0.86 * r);
      pen.fill();
    }
    styling.sprites.set(key, picture.transferToImageBitmap?.() ?? picture);
  }
  return styling.sprites.get(key);
}

function paintLayer(ratio) {
  const began = performance.now(), { x, y } = points(), { group, dim } = styling, pen = layer.getContext("2d");
  layer.width = canvas.width;
  layer.height = canvas.height;
  styling.sprites.clear();
  const across = pixelsAcross() * ratio, down = pixelsDown() * ratio, left = layer.width / 2 - view.x * across, top = layer.height / 2 - view.y * down;
  const edge = 12 * ratio;
  for (const d of styling.order) {
    const sx = left + x[d] * across, sy = top + y[d] * down;
    if (sx < -edge || sy < -edge || sx > layer.width + edge || sy > layer.height + edge) continue;
    const sprite = spriteOf(group[d], dim[d], ratio);
    pen.drawImage(sprite, Math.round(sx - sprite.width / 2), Math.round(sy - sprite.height / 2));
  }
  layerView = { ...view };
  layerCost = performance.now() - began;
}

// The points that are not dimmed once more, over names that stand back.
function paintKept(pen) {
  const ratio = canvas.width / box.width;
  for (const d of styling.order) {
    if (styling.dim[d]) continue;
    const sprite = spriteOf(styling.group[d], 0, ratio), size = sprite.width / ratio, [sx, sy] = placeOf(d);
    pen.drawImage(sprite, sx - size / 2, sy - size / 2, size, size);
  }
}

function paint() {
  frame = 0;
  if (!canvas || !canvas.clientWidth) return;
  const ratio = Math.min(window.devicePixelRatio || 1, 3), width = canvas.clientWidth, height = canvas.clientHeight;
  if (width !== box.width || height !== box.height || canvas.width !== Math.round(width * ratio)) {
    fitBox(width, height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    layerView = null;
    keptPlaces = null;
  }
  if (!styling) stylePoints();
  const isStill = layerView !== null && ["x", "y", "k"].every((name) => layerView[name] === view[name]);
  if (!layerView || (!isStill && (!settling || layerCost < SMOOTH))) paintLayer(ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const grown = view.k / layerView.k;
  const put = (picture) => pen.drawImage(picture, canvas.width / 2 * (1 - grown) + (layerView.x - view.x) * pixelsAcross() * ratio,
    canvas.height / 2 * (1 - grown) + (layerView.y - view.y) * pixelsDown() * ratio, canvas.width * grown, canvas.height * grown);
  paintBlended(pen, put);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintLines(pen);
  paintLabels(pen);
  paintRings(pen);
  paintLasso(pen);
}

// Lines from the selected document to its nearest ones, in the colour of each model.
function paintLines(pen) {
  if (state.document === null) return;
  const now = colours(), [sx, sy] = placeOf(state.document);
  pen.lineWidth = 1.2;
  models.forEach((_, i) => {
    pen.strokeStyle = i ? now.second : now.first;
    for (const other of nearestDocuments(i, state.document) ?? []) {
      pen.beginPath();
      pen.moveTo(sx, sy);
      pen.lineTo(...placeOf(other));
      pen.stroke();
    }
  });
}

// Rings around the selected document and the one under the mouse; the nearest ones in the shape of each model.
function paintRings(pen) {
  const now = colours(), r = radiusOfPoints();
  if (state.document !== null) {
    models.forEach((_, i) => {
      for (const other of nearestDocuments(i, state.document) ?? []) ring(pen, placeOf(other), r + 2, i ? now.second : now.first, now.card, shapeOfModel(i));
    });
    ring(pen, placeOf(state.document), r + 4, now.ink, now.card);
  }
  if (hovered !== null) ring(pen, placeOf(hovered), r + 2.5, now.ink, now.card);
}

const placeOf = (d) => toScreen(points().x[d], points().y[d]);

function ring(pen, [x, y], r, colour, halo, shape = "circle") {
  for (const [width, style] of [[4.5, halo], [2, colour]]) {
    pen.lineWidth = width;
    pen.strokeStyle = style;
    tracedShape(pen, shape, x, y, r);
    pen.stroke();
  }
}

function drawMap() {
  if (!frame) frame = requestAnimationFrame(paint);
}

// Called while the map moves; when it rests, the points are drawn sharp again.
function moved() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    settling = 0;
    tellPlace();
    drawMap();
  }, 120);
  drawMap();
}

function restyle() {
  styling = null;
  layerView = null;
  keptPlaces = null;
  drawMap();
}
