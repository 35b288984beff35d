import type { WordPiece } from './word-piece.ts';

/**
 * Whether a request is in the model's language. Its vocabulary has most English words whole and breaks the words of other languages into
 * pieces whose vectors mean little; but it breaks the jargon of English ("kubectl rollout", "rotate oauth webhook secret") as well. So broken
 * words count against a request only with a sign of another language: letters that English does not have, or its small words ("para",
 * "und"). English small words and verbs of requests count for it. Names of things (`U4af49`, `team@example.org`, `/var/log`) say nothing
 * of a language. A long request of broken words without any sign is left alone too.
 */
export function canRead(request: string, wordPiece: WordPiece): boolean {
  const words = request.split(/\s+/).filter((word) => FOREIGN.test(word) || (LETTER.test(word) && !NAME.test(word)));
  const bare = words.map(bareWord);
  const broken = words.filter((word) => !wordPiece.isWhole(word));
  const signs = broken.filter((word) => FOREIGN.test(word)).length + bare.filter((word) => OTHERS.has(word)).length;
  const english = bare.filter((word) => ENGLISH.has(word)).length;
  if (signs === 0 && (english > 0 || words.length <= SHORT)) return true;
  return (broken.length + signs - english) / (words.length + DOUBT) < MOST_BROKEN;
}

/** Without punctuation around it, and up to its apostrophe: `"l'événement"` is `l`. */
function bareWord(word: string): string {
  const bare = word.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return bare.split(/['’]/, 1)[0] ?? bare;
}

/** Chosen on the project's requests in English and in eight other languages. */
const [MOST_BROKEN, DOUBT, SHORT] = [0.25, 3, 5];
const LETTER = /\p{L}/u;
/** A letter that is none of English. */
const FOREIGN = /[^\P{L}a-z]/iu;
const NAME = /[\d_@/]/;
const ENGLISH: ReadonlySet<string> = new Set(
  (
    'the a an of to in on for with by at from my our your is are was it this that these all and or not can could please i we you me us ' +
    'how what which when where who list get show find create add delete remove update set make run check send open close start stop new ' +
    'into as do does'
  ).split(' '),
);
/** Small words of Spanish, French, German, Italian, Portuguese, Dutch and Swedish that are none of English. */
const OTHERS: ReadonlySet<string> = new Set(
  (
    'de la le les des du un una une el los las del al en y et ou est que qué para por con sin sur dans pour avec sans mon ma mes mi mis tu su ' +
    'sus este esta ce cette der die das den dem ein eine einen einer und oder mit für von zu zum zur im am auf ist nicht mir mein meine bitte ' +
    'alle il lo gli di da della nel per che e questo os da dos das em na nos nas um uma meu minha todos todas como mais det och ett att som ' +
    'het een van voor met ik mijn'
  ).split(' '),
);
