import { astralClass, CharacterClass, characterClass, lowerCase } from './character-class.ts';
import { foldText } from './fold-text.ts';

/** Characters of a name that count; two names that differ only beyond have the same key. */
const LONGEST_KEY = 256;

/**
 * What is left of a name when case, punctuation, spaces, accents and width don't count: `Get-Accounts!` and `get_accounts`
 * are both `getaccounts`. Empty for a name without letters and digits.
 */
export function nameKey(name: string): string {
  const folded = foldText(name);
  let key = '';
  for (let at = 0; at < folded.length && key.length < LONGEST_KEY; at += 1) {
    const code = folded.charCodeAt(at);
    const kind = characterClass(code);
    if (kind === CharacterClass.upper) {
      key += String.fromCharCode(lowerCase(code));
    } else if (kind === CharacterClass.lower || kind === CharacterClass.digit || kind === CharacterClass.unspaced) {
      key += folded[at];
    } else if (kind === CharacterClass.highSurrogate) {
      const codePoint = folded.codePointAt(at) ?? 0;
      if (codePoint > 0xffff && astralClass(codePoint) !== CharacterClass.separator) {
        key += String.fromCodePoint(codePoint);
        at += 1;
      }
    }
  }
  return key;
}
