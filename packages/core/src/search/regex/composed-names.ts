/**
 * The character whose name is made by a rule (Unicode 14, chapters 3.12 and 4.8) and stands in no table: unified ideographs,
 * whose name ends in the code point, and Hangul syllables, whose name spells their sounds. Unlike others, these names have no lower case.
 */
export function composedCharacter(name: string): number | undefined {
  const hexadecimal = IDEOGRAPH.exec(name)?.[1];
  if (hexadecimal !== undefined) return ideograph(Number.parseInt(hexadecimal, 16));
  const [, initial, vowel, final] = SYLLABLE.exec(name) ?? [];
  if (initial === undefined || vowel === undefined || final === undefined) return undefined;
  const opening = INITIALS.indexOf(initial) * VOWELS.length + VOWELS.indexOf(vowel);
  return FIRST_SYLLABLE + opening * FINALS.length + FINALS.indexOf(final);
}

function ideograph(code: number): number | undefined {
  return IDEOGRAPHS.some(([low, high]) => code >= low && code <= high) ? code : undefined;
}

const FIRST_SYLLABLE = 0xac00;
/** In the order of the code points. The silent initial and the missing final are empty. */
const INITIALS = 'G GG N D DD R M B BB S SS  J JJ C K T P H'.split(' ');
const VOWELS = 'A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I'.split(' ');
const FINALS = ' G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H'.split(' ');

const IDEOGRAPH = /^CJK UNIFIED IDEOGRAPH-([0-9A-F]{4,5})$/;
const SYLLABLE = new RegExp(`^HANGUL SYLLABLE (${oneOf(INITIALS)})(${oneOf(VOWELS)})(${oneOf(FINALS)})$`);

function oneOf(sounds: readonly string[]): string {
  return sounds.join('|');
}

const IDEOGRAPHS: readonly (readonly [low: number, high: number])[] = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b738],
  [0x2b740, 0x2b81d],
  [0x2b820, 0x2cea1],
  [0x2ceb0, 0x2ebe0],
  [0x30000, 0x3134a],
];
