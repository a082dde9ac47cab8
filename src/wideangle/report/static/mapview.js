// The part of the map that is seen: its middle and how far it is magnified; and the hands that move it.
const MOST = 60; // times magnified
const view = { x: 0, y: 0, k: 1 };
const box = { width: 0, height: 0, scale: 1, middle: [0, 0] };
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
  const scale = Math.min((width - 2 * margin) / Math.max(right - left, 0.1), (height - 2 * margin) / Math.max(bottom - top, 0.1));
  const first = box.width === 0;
  Object.assign(box, { width, height, scale: Math.max(scale, 1), middle: [(left + right) / 2, (top + bottom) / 2] });
  if (first) resetView();
}

function resetView() {
  Object.assign(view, { x: box.middle[0], y: box.middle[1], k: 1 });
}

const toScreen = (x, y) => [box.width / 2 + (x - view.x) * box.scale * view.k, box.height / 2 + (y - view.y) * box.scale * view.k];
const fromScreen = (sx, sy) => [view.x + (sx - box.width / 2) / (box.scale * view.k), view.y + (sy - box.height / 2) / (box.scale * view.k)];

function panBy(dx, dy) {
  const far = 1.2 + 0.5 / view.k; // the map cannot be lost from sight
  view.x = clamp(view.x - dx / (box.scale * view.k), box.middle[0] - far, box.middle[0] + far);
  view.y = clamp(view.y - dy / (box.scale * view.k), box.middle[1] - far, box.middle[1] + far);
  moved();
}

function zoomBy(factor, sx = box.width / 2, sy = box.height / 2) {
  const [x, y] = fromScreen(sx, sy);
  view.k = clamp(view.k * factor, 1, MOST);
  const [nowX, nowY] = fromScreen(sx, sy);
  view.x += x - nowX;
  view.y += y - nowY;
  if (view.k === 1) resetView();
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

const placeInMap = (d) => [points().x[d], points().y[d]];

function mapKeys(event) {
  const step = 60, steps = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) panBy(...steps[event.key]);
  else if (event.key === "+" || event.key === "=") zoomBy(1.4);
  else if (event.key === "-") zoomBy(1 / 1.4);
  else if (event.key === "0") goTo(...box.middle, 1);
  else return;
  event.preventDefault();
}

// Mouse, finger and two fingers. `onClick` and `onHover` get the place on the canvas.
function startHands(canvas, onClick, onHover) {
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
    held.set(event.pointerId, place(event));
    if (held.size === 1) travelled = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event), before = held.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") onHover(now);
      return;
    }
    if (held.size === 2) {
      const old = spread();
      held.set(event.pointerId, now);
      const { middle, apart } = spread();
      panBy(middle[0] - old.middle[0], middle[1] - old.middle[1]);
      zoomBy(apart / Math.max(old.apart, 1), ...middle);
      travelled = 99;
      return;
    }
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    held.set(event.pointerId, now);
    if (travelled > 4) {
      canvas.classList.add("held");
      onHover(null);
      panBy(now[0] - before[0], now[1] - before[1]);
    }
  });
  const release = (event) => {
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
  canvas.addEventListener("keydown", mapKeys);
}
