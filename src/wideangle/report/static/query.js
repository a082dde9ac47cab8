// A query of words: which of them the model knows, and which documents have them.
const FEW_HITS = 10; // Where fewer documents have the words, those with related words are shown too.
const LONGEST_QUERY = 300;
const ANY_WORD = /[\p{L}\p{M}\p{N}_]+/gu;
let columnsOfWords = null, columnsWithoutAccents = null;
let lastAnswer = null; // {query, answer}

const folded = (text) => text.normalize("NFKC").toLowerCase();
const withoutAccents = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/ı/g, "i").replace(/ß/g, "ss");

// word -> [columns]; `how` makes words that differ little the same.
function columnsBy(how) {
  const columns = new Map();
  (data.vocabulary ?? []).forEach((word, column) => {
    const key = how(word);
    if (columns.has(key)) columns.get(key).push(column);
    else columns.set(key, [column]);
  });
  return columns;
}

// A run of letters; of scripts without spaces every two neighbouring characters.
function wordsOfRun(run) {
  if (!WITHOUT_SPACES.test(run)) return [run];
  const characters = run.match(new RegExp(`${SPACELESS}\\p{M}*|[^]`, "gu"));
  return characters.length < 2 ? characters : characters.slice(1).map((character, k) => characters[k] + character);
}

// {columns: [[word, columns]], leftOut: stop words, others: words that the model does not know}
function readWords(text) {
  columnsOfWords ??= columnsBy((word) => word);
  const found = new Map(), leftOut = new Set(), others = new Set(), stops = new Set(data.search?.stop_words ?? []);
  const { ngrams = 1 } = data.search ?? {}, known = (word) => columnsOfWords.has(word) && found.set(word, columnsOfWords.get(word));
  for (const part of folded(text).split(/\s+/).filter(Boolean)) {
    if (known(part)) continue; // such as "c++", where a word may be that
    for (const word of (part.match(ANY_WORD) ?? []).flatMap(wordsOfRun)) {
      if (known(word)) continue;
      if (stops.has(word)) leftOut.add(word);
      else {
        columnsWithoutAccents ??= columnsBy(withoutAccents);
        const meant = columnsWithoutAccents.get(withoutAccents(word));
        if (meant) for (const column of meant) found.set(data.vocabulary[column], [column]);
        else others.add(word);
      }
    }
  }
  const kept = (folded(text).match(ANY_WORD) ?? []).filter((word) => !stops.has(word)); // Stop words are no part of words in a row.
  for (let n = 2; n <= ngrams; n++) for (let k = 0; k + n <= kept.length; k++) known(kept.slice(k, k + n).join(" "));
  return { columns: [...found], leftOut: [...leftOut], others: [...others] };
}

// The documents in whose title or text on this page a word stands, as a whole word.
function documentsWithText(word) {
  const found = [], isThere = (text) => text && spansOfWords(text, [word]).length > 0;
  for (let d = 0; d < (texts?.count ?? 0); d++) if ([TEXT, TITLE].some((field) => isThere(stringOf(d, field)))) found.push(d);
  return found;
}

// What a query finds: {hits: [d], related: {words, hits}, words: to mark, leftOut, unknown, inTexts}
function searched(query) {
  if (lastAnswer?.query === query && lastAnswer.known === textsKnown) return lastAnswer.answer;
  const answer = find(query.slice(0, LONGEST_QUERY));
  lastAnswer = { query, known: textsKnown, answer };
  return answer;
}

function find(query) {
  const nothing = { hits: [], related: { words: [], hits: [] }, words: [], leftOut: [], unknown: [], inTexts: [] };
  if (!texts || !data.search || !data.documents) return nothing;
  const { columns, leftOut, others } = readWords(query), lists = [], inTexts = [], unknown = [], words = columns.map(([word]) => word);
  const looked = wordIndex ? others : [...words, ...others];
  if (wordIndex) for (const [, found] of columns) for (const column of found) lists.push(wordIndex.documentsWith(column));
  for (const word of looked) {
    const found = documentsWithText(word);
    (found.length ? inTexts : unknown).push(word);
    if (found.length) lists.push(found);
  }
  const hits = rankedByWords(lists).map(([d]) => d);
  return { hits, related: relatedHits(columns, hits), words: [...words, ...inTexts], leftOut, unknown, inTexts };
}

// Related words, and, where few documents have the words themselves, the documents that have those.
function relatedHits(columns, hits) {
  const asked = new Set(columns.flatMap(([, found]) => found));
  const near = [...new Set(columns.flatMap(([, found]) => found).flatMap(relatedWords))].filter((column) => !asked.has(column)).slice(0, 8);
  const words = near.map(nameOfColumn);
  if (!wordIndex || !near.length || hits.length >= FEW_HITS) return { words, hits: [] };
  const had = new Set(hits);
  return { words, hits: rankedByWords(near.map(wordIndex.documentsWith)).map(([d]) => d).filter((d) => !had.has(d)).slice(0, FEW_HITS) };
}

// The part of a text around the first of some words, on one line.
function passage(text, words, length = 130) {
  const line = text.replace(/\s+/g, " "), first = words.length ? spansOfWords(line, words)[0]?.[0] ?? 0 : 0;
  const from = first < 50 ? 0 : line.indexOf(" ", first - 45) + 1 || first;
  return `${from ? "… " : ""}${line.slice(from, from + length)}${from + length < line.length ? " …" : ""}`;
}
