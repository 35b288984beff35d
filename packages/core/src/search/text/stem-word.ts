import { pairs } from './characters.ts';

/** The longest word that is stemmed; longer ones are identifiers or noise and are their own stems. */
const LONGEST_WORD = 24;
const LONGEST_EXCEPTION = 6;

/**
 * Takes a lower-case English word to its stem in place (the second version of Porter's algorithm).
 *
 * Anything that is not 3 to 24 letters a to z stays as it is.
 * @returns the length of the stem in `word`.
 */
export function stemInPlace(word: Uint16Array, length: number): number {
  if (length < 3 || length > LONGEST_WORD || !isPlain(word, length)) return length;
  const exception = length <= LONGEST_EXCEPTION ? findException(word, length) : undefined;
  if (exception !== undefined) return write(word, 0, exception);
  markConsonantY(word, length);
  const r1 = regionStart(word, length, prefixEnd(word, length));
  const r2 = regionStart(word, length, r1);
  let end = dropPlural(word, length);
  if (!isUnchangedSingular(word, end)) {
    end = dropPastOrGerund(word, end, r1);
    end = finalYToI(word, end);
    end = applyRules(word, end, r1, STEP_2);
    end = applyStep3(word, end, r1, r2);
    end = dropResidual(word, end, r2);
    end = dropFinal(word, end, r1, r2);
  }
  for (let at = 0; at < end; at += 1) {
    if (word[at] === CONSONANT_Y) word[at] = Y;
  }
  return end;
}

/** {@link stemInPlace} for a string. */
export function stemWord(word: string): string {
  // A stem may get one letter longer on the way.
  const characters = new Uint16Array(word.length + 1);
  for (let at = 0; at < word.length; at += 1) characters[at] = word.charCodeAt(at);
  return textOf(characters, stemInPlace(characters, word.length));
}

const A = 0x61;
const C = 0x63;
const D = 0x64;
const E = 0x65;
const G = 0x67;
const I = 0x69;
const L = 0x6c;
const M = 0x6d;
const N = 0x6e;
const O = 0x6f;
const R = 0x72;
const S = 0x73;
const T = 0x74;
const U = 0x75;
const W = 0x77;
const X = 0x78;
const Y = 0x79;
/** A `y` that starts a word or follows a vowel counts as a consonant, and is marked so by a capital. */
const CONSONANT_Y = 0x59;

function isPlain(word: Uint16Array, length: number): boolean {
  for (let at = 0; at < length; at += 1) {
    const code = word[at] ?? 0;
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

function textOf(word: Uint16Array, length: number): string {
  let text = '';
  for (let at = 0; at < length; at += 1) text += String.fromCharCode(word[at] ?? 0);
  return text;
}

/** The stem of a word that the rules get wrong. The last letter, of which there are three, rules most words out. */
function findException(word: Uint16Array, length: number): string | undefined {
  const last = word[length - 1];
  return last === S || last === Y || last === G ? EXCEPTIONS.get(textOf(word, length)) : undefined;
}

function isUnchangedSingular(word: Uint16Array, length: number): boolean {
  const last = word[length - 1];
  return (length === 6 || length === 7) && (last === G || last === D) && UNCHANGED_SINGULARS.has(textOf(word, length));
}

function write(word: Uint16Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) word[at + index] = text.charCodeAt(index);
  return at + text.length;
}

function isVowel(code: number | undefined): boolean {
  return code === A || code === E || code === I || code === O || code === U || code === Y;
}

function markConsonantY(word: Uint16Array, length: number): void {
  for (let at = 0; at < length; at += 1) {
    if (word[at] === Y && (at === 0 || isVowel(word[at - 1]))) word[at] = CONSONANT_Y;
  }
}

/** Where a region starts: after the first consonant that follows a vowel, from `start` on. */
function regionStart(word: Uint16Array, length: number, start: number): number {
  if (start < 0) return -start;
  for (let at = start + 1; at < length; at += 1) {
    if (!isVowel(word[at]) && isVowel(word[at - 1])) return at + 1;
  }
  return length;
}

/** `gener`, `commun` and `arsen` are their own first regions: the negated length says so to {@link regionStart}. */
function prefixEnd(word: Uint16Array, length: number): number {
  for (const prefix of REGION_PREFIXES) {
    if (length >= prefix.length && startsWith(word, prefix)) return -prefix.length;
  }
  return 0;
}

function startsWith(word: Uint16Array, prefix: string): boolean {
  for (let at = 0; at < prefix.length; at += 1) {
    if (word[at] !== prefix.charCodeAt(at)) return false;
  }
  return true;
}

function endsWith(word: Uint16Array, end: number, suffix: string): boolean {
  const start = end - suffix.length;
  if (start < 0) return false;
  for (let at = suffix.length - 1; at >= 0; at -= 1) {
    if (word[start + at] !== suffix.charCodeAt(at)) return false;
  }
  return true;
}

function hasVowel(word: Uint16Array, end: number): boolean {
  for (let at = 0; at < end; at += 1) {
    if (isVowel(word[at])) return true;
  }
  return false;
}

/** Step 1a: `sses`, `ies`, `ied`, `s`. */
function dropPlural(word: Uint16Array, end: number): number {
  if (endsWith(word, end, 'sses')) return end - 2;
  if (endsWith(word, end, 'ied') || endsWith(word, end, 'ies')) return end > 4 ? end - 2 : end - 1;
  if (word[end - 1] !== S || word[end - 2] === S || word[end - 2] === U) return end;
  return hasVowel(word, end - 2) ? end - 1 : end;
}

/** Step 1b: `eed`, `ed`, `ing`, each also with `ly`. */
function dropPastOrGerund(word: Uint16Array, end: number, r1: number): number {
  const base = endsWith(word, end, 'ly') ? end - 2 : end;
  if (endsWith(word, base, 'eed')) return base - 3 >= r1 ? base - 1 : end;
  let rest = end;
  if (endsWith(word, base, 'ed')) {
    rest = base - 2;
  } else if (endsWith(word, base, 'ing')) {
    rest = base - 3;
  }
  if (rest === end || !hasVowel(word, rest)) return end;
  if (endsWith(word, rest, 'at') || endsWith(word, rest, 'bl') || endsWith(word, rest, 'iz')) {
    word[rest] = E;
    return rest + 1;
  }
  if (endsInDouble(word, rest)) return rest - 1;
  if (r1 >= rest && endsInShortSyllable(word, rest)) {
    word[rest] = E;
    return rest + 1;
  }
  return rest;
}

function endsInDouble(word: Uint16Array, end: number): boolean {
  const last = word[end - 1] ?? 0;
  return end >= 2 && last === word[end - 2] && DOUBLES.includes(String.fromCharCode(last));
}

/** A vowel between consonants at the end (the last not w, x or Y), or a word of vowel and consonant. */
function endsInShortSyllable(word: Uint16Array, end: number): boolean {
  const last = word[end - 1];
  if (end === 2) return isVowel(word[0]) && !isVowel(last);
  return (
    end > 2 &&
    !isVowel(last) &&
    last !== W &&
    last !== X &&
    last !== CONSONANT_Y &&
    isVowel(word[end - 2]) &&
    !isVowel(word[end - 3])
  );
}

/** Step 1c. */
function finalYToI(word: Uint16Array, end: number): number {
  const last = word[end - 1];
  if (end > 2 && (last === Y || last === CONSONANT_Y) && !isVowel(word[end - 2])) word[end - 1] = I;
  return end;
}

interface Rule {
  readonly suffix: string;
  readonly put: string;
  /** Letters of which one has to stand before the suffix. */
  readonly after: string | undefined;
}

/** Rules as `suffix:put`, some with `/after`. */
function rules(text: string): readonly Rule[] {
  return text.split(' ').map((rule) => {
    const [, suffix = '', put = '', after] = /^(\w+):(\w*)(?:\/(\w+))?$/.exec(rule) ?? [];
    return { suffix, put, after };
  });
}

/** The longest suffix that fits decides; it is replaced where it lies inside the region. */
function applyRules(word: Uint16Array, end: number, region: number, rules: readonly Rule[]): number {
  const last = word[end - 1];
  for (const rule of rules) {
    if (rule.suffix.charCodeAt(rule.suffix.length - 1) === last && endsWith(word, end, rule.suffix)) {
      const start = end - rule.suffix.length;
      const fits = rule.after === undefined || rule.after.includes(String.fromCharCode(word[start - 1] ?? 0));
      return start >= region && fits ? write(word, start, rule.put) : end;
    }
  }
  return end;
}

function applyStep3(word: Uint16Array, end: number, r1: number, r2: number): number {
  if (endsWith(word, end, 'ative')) return end - 5 >= r2 ? end - 5 : end;
  return applyRules(word, end, r1, STEP_3);
}

/** Step 4. No suffix of it ends in any other letter than these. */
function dropResidual(word: Uint16Array, end: number, r2: number): number {
  const last = word[end - 1];
  if (last === L || last === E || last === R || last === C || last === T || last === M || last === I || last === S) {
    return applyRules(word, end, r2, STEP_4);
  }
  return last === N ? applyRules(word, end, r2, STEP_4_ION) : end;
}

/** Step 5. */
function dropFinal(word: Uint16Array, end: number, r1: number, r2: number): number {
  const start = end - 1;
  if (word[start] === E) return start >= r2 || (start >= r1 && !endsInShortSyllable(word, start)) ? start : end;
  return word[start] === L && start >= r2 && word[start - 1] === L ? start : end;
}

const DOUBLES = 'bdfgmnprt';
const REGION_PREFIXES = ['gener', 'commun', 'arsen'];

const EXCEPTIONS: ReadonlyMap<string, string> = pairs(
  'skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli ' +
    'singly:singl sky:sky news:news atlas:atlas cosmos:cosmos bias:bias andes:andes',
);

/** Words that look like a past tense or a gerund once their plural is gone. */
const UNCHANGED_SINGULARS: ReadonlySet<string> = new Set(
  'inning outing canning herring earring proceed exceed succeed'.split(' '),
);

const STEP_2: readonly Rule[] = rules(
  'ational:ate ization:ize fulness:ful ousness:ous iveness:ive tional:tion biliti:ble lessli:less entli:ent ' +
    'ation:ate alism:al aliti:al ousli:ous iviti:ive fulli:ful enci:ence anci:ance abli:able izer:ize ator:ate ' +
    'alli:al bli:ble ogi:og/l li:/cdeghkmnrt',
);
const STEP_3: readonly Rule[] = rules('ational:ate tional:tion alize:al icate:ic iciti:ic ical:ic ness: ful:');
const STEP_4: readonly Rule[] = rules(
  'ement: ance: ence: able: ible: ment: ant: ent: ism: ate: iti: ous: ive: ize: al: er: ic:',
);
const STEP_4_ION: readonly Rule[] = rules('ion:/st');
