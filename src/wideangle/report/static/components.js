// The K coordinates of a model, folded away under the topics: their words or pictures, and which are near-duplicates.
const doublesOf = (i, k) => (models[i].angles?.doubles ?? []).filter(([a, b]) => a === k || b === k).map(([a, b, angle]) => [a === k ? b : a, angle]);

// Blue below zero, red above, as deep as the value is large; 128 is zero.
function pictureOf({ height, width, values }, k) {
  const picture = el("canvas", { width, height, role: "img", "aria-label": `Picture of component ${k + 1}` });
  const pen = picture.getContext("2d"), image = pen.createImageData(width, height), bytes = numbers(values[k], Uint8Array);
  for (let p = 0; p < bytes.length; p++) {
    const value = clamp((bytes[p] - 128) / 127, -1, 1), rest = 1 - Math.abs(value);
    const [r, g, b] = value < 0 ? [33, 102, 172] : [178, 24, 43];
    image.data.set([r + (247 - r) * rest, g + (247 - g) * rest, b + (247 - b) * rest, 255], 4 * p);
  }
  pen.putImageData(image, 0, 0);
  return picture;
}

function componentRow(i, k) {
  const { units, pictures } = models[i], near = doublesOf(i, k);
  const row = el("li", { id: `component-${k}`, class: k === state.component ? "chosen" : null }, el("span", { class: "number" }, String(k + 1)));
  if (pictures) row.append(pictureOf(pictures, k));
  const double = ([other, angle]) => button({ class: "mark", title: `near-duplicate: ${degrees(angle)}`, onclick: () => select({ component: other }) }, `≈ ${other + 1}`);
  row.append(el("span", {}, pictures ? "" : (units?.[k] ?? []).join(", ") || "all zeros", " ", near.slice(0, 3).map(double),
    near.length > 3 ? remark(`and ${near.length - 3} more`) : ""));
  return row;
}

// The rows are made when the fold is opened: there may be hundreds of pictures.
function drawComponents() {
  const i = state.model, { components, pictures } = models[i], box = byId("components");
  const list = el("ul", { id: "component-list", class: pictures ? "pictured" : null });
  if (box.open) list.append(...Array.from({ length: components }, (_, k) => componentRow(i, k)));
  box.replaceChildren(el("summary", {}, `Components: the ${plural(components, "coordinate")}${comparing ? ` of ${models[i].name}` : ""}`),
    el("p", { class: "hint" }, `What the model learned, one row per component. ≈ marks pairs that are closer than ${degrees(data.degrees)}.`), list);
}

function showComponent() {
  if (state.component === null) return;
  byId("components").open = true;
  drawComponents();
  byId(`component-${state.component}`)?.scrollIntoView({ block: "center" });
}

sections.push({
  id: "components",
  when: "late",
  draw() {
    const box = byId("components");
    box.open = models.every(({ topics }) => !topics);
    drawComponents();
    box.addEventListener("toggle", () => {
      if (box.open && !byId("component-list").children.length) drawComponents();
    });
    showComponent();
    whenSelected((changed) => {
      if (changed.has("model")) drawComponents();
      if (changed.has("component")) {
        box.querySelector(".chosen")?.classList.remove("chosen");
        showComponent();
      }
    });
  },
});
