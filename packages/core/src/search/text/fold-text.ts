/**
 * Text with accents, ligatures and width taken out, its case kept (case still marks the words of an identifier).
 *
 * Full-width and other compatibility forms become plain ones, `é` becomes `e`, `ß` becomes `ss`. Only the combining
 * diacritical marks (U+0300 to U+036F) are dropped: the marks of Indic scripts, Thai and kana carry meaning and stay.
 */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) {
    return text;
  }
  return text
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .replace(SPECIAL_LETTERS, (letter) => SPECIAL_LETTER_FORMS.get(letter) ?? letter)
    .normalize('NFC');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const NOT_ASCII = /[^\u0000-\u007f]/;
const DIACRITICS = /[\u0300-\u036f]+/g;
const SPECIAL_LETTERS = /[ßẞæÆœŒøØđĐðÐþÞłŁıħĦ]/g;

/** Letters that Unicode does not decompose, though people type them without the stroke or as two letters. */
const SPECIAL_LETTER_FORMS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['ẞ', 'SS'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['đ', 'd'],
  ['Đ', 'D'],
  ['ð', 'd'],
  ['Ð', 'D'],
  ['þ', 'th'],
  ['Þ', 'TH'],
  ['ł', 'l'],
  ['Ł', 'L'],
  ['ı', 'i'],
  ['ħ', 'h'],
  ['Ħ', 'H'],
]);
