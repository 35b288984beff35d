/**
 * The clauses of a request that asks for several things: its sentences, and what "and", "then" and "also" join. Empty for
 * a request of one clause. Fragments of one or two words are not clauses: they say too little on their own.
 */
export function splitClauses(text: string): string[] {
  const clauses: string[] = [];
  for (const part of text.split(BOUNDARY)) {
    const clause = part.trim();
    if (clauses.length < MOST_CLAUSES && hasWords(clause)) clauses.push(clause);
  }
  return clauses.length > 1 ? clauses : [];
}

function hasWords(clause: string): boolean {
  if (UNSPACED.test(clause)) return clause.length >= LEAST_UNSPACED;
  let words = 0;
  for (const _ of clause.matchAll(/\S+/g)) words += 1;
  return words >= LEAST_WORDS;
}

const LEAST_WORDS = 3;
/** Characters of Chinese or Japanese that say about as much as three words. */
const LEAST_UNSPACED = 5;
const MOST_CLAUSES = 8;
/** A full stop inside a number or an address ends nothing. */
const BOUNDARY = /[.?!;]+(?=\s|$)|[\n。？！；]+|,? (?:and then|and also|then|also|and) /i;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;
