/**
 * The clauses of a request that asks for several things: its sentences, and what "and", "then" and "also" join. Empty for
 * a request of one clause. Fragments of one or two words are not clauses: they say too little on their own.
 */
export function splitClauses(text: string): string[] {
  const clauses = text.split(SENTENCE_END).flatMap(splitSentence).slice(0, MOST_CLAUSES);
  return clauses.length > 1 ? clauses : [];
}

/** What "and" joins where that are several clauses; else the whole, since "the name and age of a user" is one thing. */
function splitSentence(sentence: string): string[] {
  const parts = sentence.split(JOINT).filter(hasWords);
  return (parts.length > 1 ? parts : [sentence].filter(hasWords)).map((clause) => clause.trim());
}

function hasWords(clause: string): boolean {
  if (UNSPACED.test(clause)) return clause.trim().length >= LEAST_UNSPACED;
  let words = 0;
  for (const _ of clause.matchAll(/\S+/g)) words += 1;
  return words >= LEAST_WORDS;
}

const LEAST_WORDS = 3;
/** Characters of Chinese or Japanese that say about as much as three words. */
const LEAST_UNSPACED = 5;
/** More than people ask for in one message; each costs some time. */
const MOST_CLAUSES = 16;
/** A full stop inside a number or an address ends nothing. */
const SENTENCE_END = /[.?!;]+(?=\s|$)|[\n。？！；]+|,? (?:and then|and also|then|also) /i;
const JOINT = /,? and /i;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;
