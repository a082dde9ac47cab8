// The map by keys: arrows go from document to document, so that none needs a mouse.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const PAN = 60; // pixels

// Where the keys start: the document they stand on, the selected one, or the one nearest to the middle of the map.
function standing() {
  if (hovered !== null) return hovered;
  if (state.document !== null) return state.document;
  const middle = [box.width / 2, box.height / 2];
  let best = null, least = Infinity;
  for (let d = 0; d < points().x.length; d++) {
    const [sx, sy] = placeOf(d), far = Math.hypot(sx - middle[0], sy - middle[1]);
    if (!styling.dim[d] && far < least) [best, least] = [d, far];
  }
  return best;
}

// The nearest document in a direction, as the map is seen: within 45° of it, and where there is none, on that side at all.
function neighbourTowards(from, [dx, dy]) {
  const [fx, fy] = placeOf(from), best = [null, null], least = [Infinity, Infinity];
  for (let d = 0; d < points().x.length; d++) {
    if (d === from || styling.dim[d]) continue;
    const [sx, sy] = placeOf(d), along = (sx - fx) * dx + (sy - fy) * dy, aside = Math.abs((sx - fx) * dy) + Math.abs((sy - fy) * dx);
    if (along <= 0) continue;
    const cone = aside <= along ? 0 : 1, far = along + 2 * aside;
    if (far < least[cone]) [best[cone], least[cone]] = [d, far];
  }
  return best[0] ?? best[1];
}

// The next document by its number, or the one before, round and round: by this way every document is reached.
function nextInOrder(from, step) {
  const n = points().x.length;
  for (let passed = 1; passed <= n; passed++) {
    const d = (from + step * passed + n * passed) % n;
    if (!styling.dim[d]) return d;
  }
  return from;
}

function standOn(d) {
  if (d === null) return;
  const [sx, sy] = placeOf(d), edge = 40;
  if (sx < edge || sy < edge || sx > box.width - edge || sy > box.height - edge) goTo(...placeInMap(d), view.k);
  pointOut(d);
  const node = topicOfDocument(state.model, d), group = classOfDocument(d);
  say([nameOfDocument(d), titleOfDocument(d), node === null ? null : `topic ${nameOfTopic(state.model, node)}`, group === null ? null : `class ${data.classes[group].name}`]
    .filter(Boolean).join(", "));
}

function mapKeys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !styling) return;
  const arrow = ARROWS[event.key], from = standing();
  if (arrow && event.shiftKey) panBy(-PAN * arrow[0], -PAN * arrow[1]);
  else if (arrow && from !== null) standOn(hovered === null && state.document === null ? from : neighbourTowards(from, arrow) ?? from);
  else if ((event.key === "n" || event.key === "p") && from !== null) standOn(hovered === null && state.document === null ? 0 : nextInOrder(from, event.key === "n" ? 1 : -1));
  else if (event.key === "Enter" && hovered !== null) {
    clicked = hovered;
    select({ document: hovered });
  } else if (event.key === "Escape" && hovered !== null && !isChosen()) pointOut(null);
  else if (event.key === "+" || event.key === "=") zoomBy(1.4);
  else if (event.key === "-") zoomBy(1 / 1.4);
  else if (event.key === "0") goHome();
  else return;
  event.preventDefault();
}

function startMapKeys() {
  canvas.addEventListener("keydown", mapKeys);
  canvas.addEventListener("blur", () => pointOut(null));
}
