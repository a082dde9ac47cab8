// What a query that is being typed suggests: words, topics, classes and documents of that name.
const MOST_FOUND = { words: 4, topics: 5, documents: 8, names: 4, classes: 5 };
const lowered = new Map();

// A list of strings in lower case, made once.
function inLowerCase(key, list) {
  if (!lowered.has(key)) lowered.set(key, list().map((text) => String(text).toLowerCase()));
  return lowered.get(key);
}

const IN_A_WORD = /[\p{L}\p{N}]$/u;

// Where a query stands in a text at the beginning of a word: "car" begins "Carolina", but is not in "scar". Scripts without spaces
// have no such beginnings.
function beginsWord(text, query) {
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    if (!IN_A_WORD.test(before) || !IN_A_WORD.test(query[0]) || WITHOUT_SPACES.test(query)) return at;
  }
  return -1;
}

// What is the query comes first, then what begins with it, then what has a word that begins with it: lists of numbers.
function ranked(list, query) {
  const kinds = [[], [], []];
  for (let k = 0; k < list.length; k++) {
    const at = beginsWord(list[k], query);
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

const findWords = (query) => ranked(inLowerCase("words", () => data.vocabulary ?? []), query);

// By name first, then by one of their first words.
function findTopics(query) {
  const i = state.model;
  if (!models[i].topics) return [];
  const { shown } = topicsAt(i), { nodes } = treeOf(i);
  const bySize = [...shown].sort((a, b) => nodes[b].size - nodes[a].size);
  const byName = bySize.filter((node) => beginsWord(nameOfTopic(i, node).toLowerCase(), query) >= 0);
  const byWord = bySize.filter((node) => !byName.includes(node) && nodes[node].words?.some(([column]) => nameOfColumn(column).toLowerCase() === query));
  return [...byName, ...byWord];
}

// Documents by their names and titles.
function findNames(query) {
  if (!texts) return [];
  const all = (field) => () => Array.from({ length: texts.count }, (_, d) => stringOf(d, field));
  return [...new Set([...ranked(inLowerCase("names", all(NAME)), query), ...ranked(inLowerCase("titles", all(TITLE)), query)])];
}

const findClasses = (query) => (data.classes ? ranked(inLowerCase("classes", () => data.classes.map(({ name }) => name)), query) : []);
