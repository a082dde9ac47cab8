// What a query finds on this page: words, topics, documents and classes.
const MOST_FOUND = { words: 4, topics: 5, documents: 8, classes: 5 };
const lowered = new Map();

// A list of strings in lower case, made once.
function inLowerCase(key, list) {
  if (!lowered.has(key)) lowered.set(key, (list ?? []).map((text) => String(text).toLowerCase()));
  return lowered.get(key);
}

// What is the query comes first, then what begins with it, then what holds it: lists of numbers.
function ranked(list, query) {
  const kinds = [[], [], []];
  for (let k = 0; k < list.length; k++) {
    const at = list[k].indexOf(query);
    if (at >= 0) kinds[list[k] === query ? 0 : at === 0 ? 1 : 2].push(k);
  }
  return kinds.flat();
}

// The topics of the level among whose words a column is: [node, documents of the topic that have it], most first.
function topicsWithWord(i, column) {
  if (!models[i].topics) return [];
  const { nodes } = treeOf(i), hits = [];
  for (const node of topicsAt(i).shown) {
    const entry = nodes[node].words?.find(([other]) => other === column);
    if (entry) hits.push([node, entry[1]]);
  }
  return hits.sort((a, b) => b[1] - a[1]);
}

function findWords(query) {
  return ranked(inLowerCase("words", data.vocabulary), query);
}

// By name first, then by one of their first words.
function findTopics(query) {
  const i = state.model;
  if (!models[i].topics) return [];
  const { shown } = topicsAt(i), { nodes } = treeOf(i);
  const bySize = [...shown].sort((a, b) => nodes[b].size - nodes[a].size);
  const byName = bySize.filter((node) => nameOfTopic(i, node).toLowerCase().includes(query));
  const byWord = bySize.filter((node) => !byName.includes(node) && nodes[node].words?.some(([column]) => nameOfColumn(column).toLowerCase() === query));
  return [...byName, ...byWord];
}

// By name, then by title, then by text; all words of the query must be there.
function findDocuments(query) {
  if (!texts) return [];
  const parts = query.split(/\s+/);
  const fields = ["names", "titles", "texts"].map((key) => inLowerCase(key, texts[key])), hits = new Set();
  for (const list of fields) {
    for (let d = 0; d < list.length; d++) if (parts.every((part) => list[d].includes(part))) hits.add(d);
  }
  return [...hits];
}

const findClasses = (query) => (data.classes ? ranked(inLowerCase("classes", data.classes.map(({ name }) => name)), query) : []);

// The sentence around the first hit in a text.
function excerpt(d, query) {
  const text = textOfDocument(d), at = inLowerCase("texts", texts?.texts)[d]?.indexOf(query) ?? -1;
  if (at < 0) return beginningOf(d, 90);
  const from = Math.max(0, at - 35);
  return `${from ? "… " : ""}${text.slice(from, at + 65).replace(/\s+/g, " ")} …`;
}
