import type { WordPiece } from './word-piece.ts';

/**
 * Whether a request is in the model's language. Its vocabulary has nearly every English word whole, and breaks the words of
 * other languages into pieces whose vectors mean little: from a quarter of broken words on, the first stage, which knows some
 * of those languages, is left alone. Names of things (`U4af49`, `team@example.org`, `/var/log`) say nothing of a language, and
 * a short request is as often English with the name of a product ("purge cloudflare zone") as another language. A broken word
 * with letters that English does not have leaves less doubt.
 */
export function canRead(request: string, wordPiece: WordPiece): boolean {
  const words = request.split(/\s+/).filter((word) => FOREIGN.test(word) || (LETTER.test(word) && !NAME.test(word)));
  const broken = words.filter((word) => !wordPiece.isWhole(word));
  const foreign = broken.filter((word) => FOREIGN.test(word));
  return (broken.length + foreign.length) / (words.length + DOUBT) < MOST_BROKEN;
}

/** Chosen on held-out requests in English and in five other languages. */
const [MOST_BROKEN, DOUBT] = [0.25, 3];
const LETTER = /\p{L}/u;
/** A letter that is none of English. */
const FOREIGN = /[^\P{L}a-z]/iu;
const NAME = /[\d_@/]/;
