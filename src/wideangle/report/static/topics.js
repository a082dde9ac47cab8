// The list and the tree of topics, how they are sorted, and how many there are.
const SORTS = { size: "size", purity: "class purity", angle: "angle" };
const opened = new Set(); // nodes of the tree whose parts are shown, as "model node"
let focusedNode = null;

function sortedTopics(i, nodes) {
  const tree = treeOf(i);
  const value = { size: (node) => -tree.nodes[node].size, purity: (node) => -purityOf(i, node), angle: (node) => nearestAngle(i, node) }[state.sort];
  const keyed = nodes.map((node) => [node, value(node)]);
  return keyed.sort((a, b) => (Number.isNaN(a[1]) ? 1 : Number.isNaN(b[1]) ? -1 : a[1] - b[1])).map(([node]) => node);
}

// Three tiers rather than a deep tree of pairs: groups, the topics of the level, and the leaves they are made of.
function tiersOf(i) {
  const T = levelOf(i), { L } = treeOf(i), few = Math.max(2, Math.round(1.3 * Math.sqrt(T)));
  return [...new Set([Math.min(few, T), T, L])];
}

function childrenOf(i, node, tier) {
  const tiers = tiersOf(i), tree = treeOf(i);
  for (let next = tier + 1; next < tiers.length; next++) {
    const parts = topicsAt(i, tiers[next]).shown.filter((other) => covers(tree, node, other));
    if (parts.length > 1) return { parts, tier: next };
  }
  return { parts: [], tier };
}

function topicFigures(i, node) {
  const { size } = treeOf(i).nodes[node], purity = purityOf(i, node), near = nearestAngle(i, node);
  return el("span", { class: "figures" }, el("b", { class: state.sort === "size" ? "by" : null }, count(size)),
    Number.isNaN(purity) ? "" : el("span", { class: state.sort === "purity" ? "by" : null, title: "share of its most frequent class" }, percent(purity, 1)),
    Number.isNaN(near) ? "" : el("span", { class: state.sort === "angle" ? "by" : null, title: "angle to the nearest topic" }, degrees(near)));
}

function topicRow(i, node, attributes, extra = "") {
  const name = nameOfTopic(i, node), columns = (treeOf(i).nodes[node].words ?? []).slice(0, 9).map(([column]) => column);
  const more = wordsBeside(i, node, columns, 4).join(", ");
  return el("li", { id: `topic-${node}`, "data-node": node, "aria-selected": String(node === state.topic), ...attributes },
    extra, swatch(topicColour(i, node)), el("span", { class: "name" }, name, more ? el("small", {}, ` ${more}`) : ""), sparkOverTime(i, node), topicFigures(i, node));
}

function treeRows(i, nodes, tier) {
  return sortedTopics(i, nodes).flatMap((node) => {
    const { parts, tier: below } = childrenOf(i, node, tier), open = opened.has(`${i} ${node}`);
    const row = topicRow(i, node, { role: "treeitem", "aria-level": tier + 1, "aria-expanded": parts.length ? String(open) : null, "data-tier": tier },
      el("span", { class: "fold", "aria-hidden": "true" }, parts.length ? (open ? "▾" : "▸") : ""));
    return open ? [row, ...treeRows(i, parts, below)] : [row];
  });
}

// The heads of the columns. A click sorts by one, as the switch above does.
function drawListHead(i) {
  const shown = topicsAt(i).shown, has = { size: true, purity: shown.some((node) => !Number.isNaN(purityOf(i, node))), angle: shown.some((node) => !Number.isNaN(nearestAngle(i, node))) };
  const heads = { size: ["docs", "documents of the topic"], purity: ["class", "share of its most frequent class"], angle: ["angle", "angle to the nearest topic"] };
  replace("list-head", el("span", { class: "name" }, "topic"), overTimeOf(i) ? el("span", { class: "spark-head" }, "over time") : "", el("span", { class: "figures" }, Object.entries(heads).filter(([key]) => has[key])
    .map(([key, [head, whole]]) => el("span", { class: state.sort === key ? "by" : null, title: whole }, head))));
}

function drawList() {
  const i = state.model, list = byId("list");
  if (!models[i].topics) return;
  drawListHead(i);
  const tree = state.view === "tree";
  list.setAttribute("role", tree ? "tree" : "listbox");
  list.setAttribute("aria-label", `${plural(levelOf(i), "topic")}${comparing ? ` of ${models[i].name}` : ""}`);
  const flat = () => sortedTopics(i, topicsAt(i).shown).map((node) => topicRow(i, node, { role: "option" }));
  list.replaceChildren(...(tree ? treeRows(i, topicsAt(i, tiersOf(i)[0]).shown, 0) : flat()));
  focusedNode = null;
  markSelected();
}

function focusRow(row) {
  const list = byId("list");
  list.querySelector(".focused")?.classList.remove("focused");
  focusedNode = row ? Number(row.dataset.node) : null;
  if (!row) return list.removeAttribute("aria-activedescendant");
  row.classList.add("focused");
  list.setAttribute("aria-activedescendant", row.id);
  const above = row.offsetTop < list.scrollTop, below = row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight;
  if (above || below) list.scrollTop = row.offsetTop - list.clientHeight / 3; // the list scrolls, the page does not
  return undefined;
}

// In the tree, what holds the selected topic is unfolded.
function unfoldSelected() {
  const i = state.model, tree = treeOf(i);
  let found = false;
  for (const T of tiersOf(i)) {
    const holder = topicsAt(i, T).shown.find((node) => covers(tree, node, state.topic) && node !== state.topic);
    if (holder !== undefined && !opened.has(`${i} ${holder}`)) {
      opened.add(`${i} ${holder}`);
      found = true;
    }
  }
  return found;
}

function markSelected() {
  if (state.view === "tree" && state.topic !== null && !byId(`topic-${state.topic}`) && unfoldSelected()) {
    drawList();
    return;
  }
  for (const row of byId("list").querySelectorAll('[aria-selected="true"]')) row.setAttribute("aria-selected", "false");
  const row = state.topic === null ? null : byId(`topic-${state.topic}`);
  if (row) row.setAttribute("aria-selected", "true");
  focusRow(row);
}

function fold(row, open) {
  const node = Number(row.dataset.node);
  opened[open ? "add" : "delete"](`${state.model} ${node}`);
  drawList();
  focusRow(byId(`topic-${node}`));
}

function listKeys(event) {
  const rows = [...byId("list").children], now = rows.findIndex((row) => Number(row.dataset.node) === focusedNode), row = rows[now];
  const goal = {
    ArrowDown: Math.min(now + 1, rows.length - 1), ArrowUp: now < 0 ? rows.length - 1 : Math.max(now - 1, 0),
    PageDown: Math.min(now + 10, rows.length - 1), PageUp: Math.max(now - 10, 0), Home: 0, End: rows.length - 1,
  }[event.key];
  if (goal !== undefined && rows.length) {
    focusRow(rows[goal]);
    select({ topic: focusedNode, document: null }, "replace");
  } else if (row && event.key === "ArrowRight" && row.getAttribute("aria-expanded") === "false") fold(row, true);
  else if (row && event.key === "ArrowLeft" && row.getAttribute("aria-expanded") === "true") fold(row, false);
  else if (row && event.key === "ArrowLeft" && row.dataset.tier > 0) {
    const up = rows.slice(0, now).reverse().find((other) => other.dataset.tier < row.dataset.tier);
    focusRow(up);
    select({ topic: focusedNode, document: null }, "replace");
  } else if (row && (event.key === "Enter" || event.key === " ")) select({ topic: focusedNode, document: null });
  else return;
  event.preventDefault();
}

function drawTopicControls() {
  const i = state.model, { topics } = models[i];
  byId("topics-title").textContent = topics ? plural(levelOf(i), "topic") : "Topics";
  if (!topics) return replace("topics-controls");
  const { L } = treeOf(i), keys = Object.keys(SORTS).filter((key) => key !== "purity" || data.classes);
  const sort = el("div", { class: "switch", id: "sort", role: "radiogroup", "aria-label": "Sort by" });
  const view = el("div", { class: "switch", id: "view", role: "radiogroup", "aria-label": "List or tree" });
  drawSwitch(sort, keys.map((key) => SORTS[key]), Math.max(keys.indexOf(state.sort), 0), (k) => select({ sort: keys[k] }, "replace"));
  drawSwitch(view, ["List", "Tree"], state.view === "tree" ? 1 : 0, (k) => select({ view: k ? "tree" : "list" }, "replace"));
  const slider = el("input", { type: "range", id: "level", min: Math.min(2, L), max: L, value: levelOf(i), "aria-label": "How many topics",
    oninput: (event) => changeLevel(Number(event.target.value)) });
  const focused = document.activeElement?.closest?.("#sort, #view, #level")?.id;
  replace("topics-controls", view, el("div", { class: "choice" }, el("span", { class: "hint" }, "Sort"), sort),
    L > 2 ? el("label", { class: "choice slider" }, el("span", { class: "hint" }, "fewer"), slider, el("span", { class: "hint" }, `more (${L})`),
      levelOf(i) === followedLevel(i) ? "" : button({ class: "quiet", onclick: () => changeLevel(followedLevel(i)) }, `Back to ${followedLevel(i)}`)) : "");
  if (focused) (byId(focused).querySelector?.('[aria-checked="true"]') ?? byId(focused)).focus();
  return undefined;
}

function changeLevel(T) {
  const i = state.model;
  select({ level: T === followedLevel(i) ? null : T, topic: state.topic === null ? null : followedTopic(i, state.topic, T) }, "replace");
}

function startTopics() {
  const list = byId("list");
  list.addEventListener("keydown", listKeys);
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    if (event.target.closest(".fold") && row.hasAttribute("aria-expanded")) fold(row, row.getAttribute("aria-expanded") === "false");
    else select({ topic: Number(row.dataset.node), document: null });
  });
}

function drawTopics() {
  const { topics, no_topics: why } = models[state.model];
  byId("topics-body").classList.toggle("without", !topics);
  byId("list-column").hidden = !topics;
  if (!topics) replace("topic-panel", el("p", { class: "empty" }, why || "There are no topics."));
  drawTopicControls();
  drawList();
}

sections.push({
  id: "topics",
  when: "early",
  draw() {
    startTopics();
    drawTopics();
    whenThemed(drawList);
    whenSelected((changed) => {
      if (changed.has("model")) drawTopics();
      else if (["level", "sort", "view"].some((name) => changed.has(name))) {
        const slider = byId("level"), sliding = slider && document.activeElement === slider;
        if (!sliding) drawTopicControls();
        else byId("topics-title").textContent = plural(levelOf(state.model), "topic");
        drawList();
      } else if (changed.has("topic")) markSelected();
    });
  },
});
