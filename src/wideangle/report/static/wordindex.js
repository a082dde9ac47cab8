// Which documents have each word of the vocabulary, and how documents are ranked by words: as wideangle.searching.WordIndex does it.
let wordIndex = null;

// The index numbers documents in the order in which their texts are stored.
function openedIndex(bytes, order) {
  const V = data.vocabulary.length, starts = new Uint32Array(V), sizes = new Uint32Array(V), words = new Uint32Array(order.length);
  const reader = numberReader(bytes);
  for (let column = 0; column < V; column++) {
    sizes[column] = reader.next();
    starts[column] = reader.place;
    for (let k = 0, place = -1; k < sizes[column]; k++) words[order[(place += reader.next() + 1)]]++;
  }
  const documentsWith = (column) => {
    const one = numberReader(bytes, starts[column]), found = new Uint32Array(sizes[column]);
    for (let k = 0, place = -1; k < found.length; k++) found[k] = order[(place += one.next() + 1)];
    return found;
  };
  return { documentsWith, words };
}

// Documents that have some of the words, as [d, score], the best first. `lists` are the documents of each word: rare words count more,
// and long documents, which have more words by chance, count less.
function rankedByWords(lists) {
  const n = data.documents.shown, { slope } = data.search, scores = new Float64Array(n), hits = [];
  const rarity = lists.map(({ length }) => Math.log1p((n - length + 0.5) / (length + 0.5))), whole = rarity.reduce((sum, value) => sum + value, 0) || 1;
  lists.forEach((list, k) => {
    for (const d of list) scores[d] += rarity[k] / whole;
  });
  const average = Math.max(wordIndex ? wordIndex.words.reduce((sum, value) => sum + value, 0) / n : 1, 1);
  for (let d = 0; d < n; d++) {
    if (scores[d] > 0) hits.push([d, scores[d] / (wordIndex ? 1 - slope + (slope * wordIndex.words[d]) / average : 1)]);
  }
  return hits.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

// The words that the model treats like one of its words, the closest first.
function relatedWords(column) {
  const all = numbers(data.search?.related, Uint16Array);
  if (!all) return [];
  const width = Math.round(all.length / data.vocabulary.length);
  return [...all.subarray(column * width, (column + 1) * width)].filter((other) => other !== NONE);
}
