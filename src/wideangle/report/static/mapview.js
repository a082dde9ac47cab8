// The part of the map that is seen: its middle and how far it is magnified; and the hands that move it.
const MOST = 60; // times magnified
const STRETCH = 1.6; // The axes of t-SNE mean nothing: a map may be so many times as wide, or as high, to fill its place.
const view = { x: 0, y: 0, k: 1 };
const box = { width: 0, height: 0, scale: 1, wide: 1, tall: 1, middle: [0, 0] };
let cachedPoints = null;

// Points of all documents in -1..1, y downwards as on a screen.
function points() {
  if (cachedPoints) return cachedPoints;
  const raw = data.documents ? numbers(data.documents.points, Uint16Array) : new Uint16Array();
  const n = raw.length / 2, x = new Float32Array(n), y = new Float32Array(n);
  for (let d = 0; d < n; d++) {
    x[d] = raw[2 * d] / 32767.5 - 1;
    y[d] = 1 - raw[2 * d + 1] / 32767.5;
  }
  cachedPoints = { x, y };
  return cachedPoints;
}

// All points are seen at k = 1, with room for labels around them.
function fitBox(width, height) {
  const { x, y } = points();
  const ends = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const [left, right] = x.length ? ends(x) : [-1, 1], [top, bottom] = y.length ? ends(y) : [-1, 1];
  const margin = Math.min(width, height) > 420 ? 30 : 16;
  const across = (width - 2 * margin) / Math.max(right - left, 0.1), down = (height - 2 * margin) / Math.max(bottom - top, 0.1);
  const scale = Math.max(Math.min(across, down), 1), most = /t-SNE/.test(data.documents.layout) ? STRETCH : 1, first = box.width === 0;
  Object.assign(box, { width, height, scale, wide: clamp(across / scale, 1, most), tall: clamp(down / scale, 1, most), middle: [(left + right) / 2, (top + bottom) / 2] });
  if (first) Object.assign(view, viewOf(state.at) ?? wholeView());
}

const wholeView = () => ({ x: box.middle[0], y: box.middle[1], k: 1 });
const isSameView = (one, other) => Math.abs(one.x - other.x) * one.k < 2e-3 && Math.abs(one.y - other.y) * one.k < 2e-3 && Math.abs(one.k / other.k - 1) < 6e-3;

// The view as the address has it, and back.
const placeText = ({ x, y, k }) => (isSameView({ x, y, k }, wholeView()) ? null : [x.toFixed(4), y.toFixed(4), k.toFixed(2)].map(Number).join(","));
function viewOf(text) {
  const [x, y, k] = (text ?? "").split(",").map(Number);
  return text && [x, y, k].every(Number.isFinite) ? { x: clamp(x, -2.5, 2.5), y: clamp(y, -2.5, 2.5), k: clamp(k, 1, MOST) } : null;
}
const checkedPlace = (text) => {
  const found = typeof text === "string" ? viewOf(text) : null;
  return found && [found.x, found.y, found.k].join(",");
};

// A hand moved the map: when it rests, the address says where.
let movedByHand = false;
function tellPlace() {
  if (movedByHand) select({ at: placeText(view) }, "replace");
  movedByHand = false;
}

// Pixels of a step in the map, to the right and down.
const pixelsAcross = () => box.scale * box.wide * view.k;
const pixelsDown = () => box.scale * box.tall * view.k;
const toScreen = (x, y) => [box.width / 2 + (x - view.x) * pixelsAcross(), box.height / 2 + (y - view.y) * pixelsDown()];
const fromScreen = (sx, sy) => [view.x + (sx - box.width / 2) / pixelsAcross(), view.y + (sy - box.height / 2) / pixelsDown()];

function panBy(dx, dy) {
  const far = 1.2 + 0.5 / view.k; // the map cannot be lost from sight
  view.x = clamp(view.x - dx / pixelsAcross(), box.middle[0] - far, box.middle[0] + far);
  view.y = clamp(view.y - dy / pixelsDown(), box.middle[1] - far, box.middle[1] + far);
  movedByHand = true;
  moved();
}

function zoomBy(factor, sx = box.width / 2, sy = box.height / 2) {
  const [x, y] = fromScreen(sx, sy);
  view.k = clamp(view.k * factor, 1, MOST);
  const [nowX, nowY] = fromScreen(sx, sy);
  view.x += x - nowX;
  view.y += y - nowY;
  if (view.k === 1) Object.assign(view, wholeView());
  movedByHand = true;
  moved();
}

// Glide to a view, or jump where motion is not wanted.
let glide = 0;
function goTo(x, y, k) {
  cancelAnimationFrame(glide);
  const from = { ...view }, goal = { x, y, k: clamp(k, 1, MOST) }, began = performance.now();
  if (stillness.matches) {
    Object.assign(view, goal);
    moved();
    return;
  }
  const step = (now) => {
    const t = clamp((now - began) / 350, 0, 1), part = t * t * (3 - 2 * t);
    for (const name of ["x", "y"]) view[name] = from[name] + part * (goal[name] - from[name]);
    view.k = from.k * (goal.k / from.k) ** part;
    moved();
    if (t < 1) glide = requestAnimationFrame(step);
  };
  glide = requestAnimationFrame(step);
}

function goHome() {
  goTo(...box.middle, 1);
  movedByHand = true;
}

const placeInMap = (d) => [points().x[d], points().y[d]];

// Mouse, finger and two fingers. `onClick` and `onHover` get the place on the canvas; what `pencil` begins, it also ends.
function startHands(canvas, onClick, onHover, pencil) {
  const held = new Map();
  let travelled = 0;
  const place = (event) => {
    const edge = canvas.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  };
  const spread = () => {
    const [a, b] = [...held.values()];
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    cancelAnimationFrame(glide);
    canvas.setPointerCapture(event.pointerId);
    if (pencil.begins(event)) return pencil.draw(place(event));
    held.set(event.pointerId, place(event));
    if (held.size === 1) travelled = 0;
    return undefined;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event), before = held.get(event.pointerId);
    if (pencil.isDrawing()) return pencil.draw(now);
    if (!before) {
      if (event.pointerType === "mouse") onHover(now);
      return undefined;
    }
    if (held.size === 2) {
      const old = spread();
      held.set(event.pointerId, now);
      const { middle, apart } = spread();
      panBy(middle[0] - old.middle[0], middle[1] - old.middle[1]);
      zoomBy(apart / Math.max(old.apart, 1), ...middle);
      travelled = 99;
      return undefined;
    }
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    held.set(event.pointerId, now);
    if (travelled > 4) {
      canvas.classList.add("held");
      onHover(null);
      panBy(now[0] - before[0], now[1] - before[1]);
    }
    return undefined;
  });
  const release = (event) => {
    if (pencil.isDrawing()) pencil.end(event.type === "pointerup");
    if (!held.delete(event.pointerId)) return;
    canvas.classList.remove("held");
    if (event.type === "pointerup" && !held.size && travelled <= 4) onClick(place(event), event.pointerType);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => onHover(null));
  canvas.addEventListener("wheel", (event) => {
    if (view.k === 1 && event.deltaY > 0) return; // Nothing to zoom out of: the page scrolls.
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoomBy(Math.exp(-clamp(event.deltaY * lines, -240, 240) * (event.ctrlKey ? 0.01 : 0.0022)), ...place(event));
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoomBy(2, ...place(event)));
}
