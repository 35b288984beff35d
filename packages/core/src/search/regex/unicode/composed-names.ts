/**
 * The character whose name is made by a rule (Unicode 14, chapters 3.12 and 4.8) and stands in no table: ideographs and
 * the like, whose name ends in the code point, and Hangul syllables, whose name spells their sounds. CPython takes unified
 * ideographs and Hangul in upper case only, and doesn't name Tangut ideographs.
 */
export function composedCharacter(name: string): number | undefined {
  const [, kind, hexadecimal] = NUMBERED.exec(name) ?? [];
  if (kind !== undefined && hexadecimal !== undefined) return numbered(kind, hexadecimal);
  const [, initial, vowel, final] = SYLLABLE.exec(name) ?? [];
  if (initial === undefined || vowel === undefined || final === undefined) return undefined;
  const opening = INITIALS.indexOf(initial) * VOWELS.length + VOWELS.indexOf(vowel);
  return FIRST_SYLLABLE + opening * FINALS.length + FINALS.indexOf(final);
}

function numbered(kind: string, hexadecimal: string): number | undefined {
  const code = Number.parseInt(hexadecimal, 16);
  const ranges = kind === UNIFIED ? unifiedRanges(hexadecimal) : otherRanges(kind, hexadecimal);
  return ranges.some(([low, high]) => code >= low && code <= high) ? code : undefined;
}

function unifiedRanges(hexadecimal: string): readonly Range[] {
  return hexadecimal === hexadecimal.toUpperCase() ? IDEOGRAPHS : [];
}

function otherRanges(kind: string, hexadecimal: string): readonly Range[] {
  const hasLeadingZero = hexadecimal.startsWith('0');
  return hasLeadingZero ? [] : (OTHERS.get(kind.toUpperCase()) ?? []);
}

const FIRST_SYLLABLE = 0xac00;
/** In the order of the code points. The silent initial and the missing final are empty. */
const INITIALS = 'G GG N D DD R M B BB S SS  J JJ C K T P H'.split(' ');
const VOWELS = 'A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I'.split(' ');
const FINALS = ' G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H'.split(' ');

const NUMBERED = /^([A-Za-z ]+)-([0-9A-Fa-f]{4,5})$/;
const UNIFIED = 'CJK UNIFIED IDEOGRAPH';
const SYLLABLE = new RegExp(`^HANGUL SYLLABLE (${oneOf(INITIALS)})(${oneOf(VOWELS)})(${oneOf(FINALS)})$`);

function oneOf(sounds: readonly string[]): string {
  return sounds.join('|');
}

type Range = readonly [low: number, high: number];

const IDEOGRAPHS: readonly Range[] = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b738],
  [0x2b740, 0x2b81d],
  [0x2b820, 0x2cea1],
  [0x2ceb0, 0x2ebe0],
  [0x30000, 0x3134a],
];

const OTHERS: ReadonlyMap<string, readonly Range[]> = new Map([
  [
    'CJK COMPATIBILITY IDEOGRAPH',
    [
      [0xf900, 0xfa6d],
      [0xfa70, 0xfad9],
      [0x2f800, 0x2fa1d],
    ],
  ],
  ['KHITAN SMALL SCRIPT CHARACTER', [[0x18b00, 0x18cd5]]],
  ['NUSHU CHARACTER', [[0x1b170, 0x1b2fb]]],
]);
