/** A vocabulary as the splitter sees it: the row of a piece, or undefined. */
export interface Vocabulary {
  get(piece: string): number | undefined;
}

/**
 * The vocabulary rows of a text, in order: a whole word where it is known, else its greedy longest subwords as
 * WordPiece has them (`##` marks one that continues a word); scripts without spaces by longest known piece.
 * What is not known at all is passed over. The training scripts split by the same rules (`training/pieces.py`).
 */
export function splitPieces(text: string, vocabulary: Vocabulary): number[] {
  const rows: number[] = [];
  for (const [run] of foldText(text).matchAll(RUN)) {
    if (run.charCodeAt(0) > LAST_ASCII) pushLongestMatches(run, vocabulary, rows);
    else pushWord(run, vocabulary, rows);
  }
  return rows;
}

const LAST_ASCII = 0x7f;
const LONGEST_UNSPACED_PIECE = 8;
const LONGEST_WORD = 40;
const RUN = /[a-z0-9]+|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g;

/** Lower case without accents, a space where a camelCase or an ACRONYMWord identifier changes words. */
function foldText(text: string): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  if (!HAS_NON_ASCII.test(words)) return words.toLowerCase();
  const bare = words.normalize('NFKD').toLowerCase().replaceAll('ß', 'ss').replace(COMBINING, '');
  return bare.normalize('NFC');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
const HAS_NON_ASCII = /[^\u0000-\u007f]/;
const COMBINING = /[\u0300-\u036f]/g;

function pushWord(run: string, vocabulary: Vocabulary, rows: number[]): void {
  const known = vocabulary.get(run);
  if (known !== undefined) {
    rows.push(known);
    return;
  }
  for (const [letters] of run.matchAll(/[a-z]+/g)) pushSubwords(letters, vocabulary, rows);
}

/** All of a word or none of it: a word with an unknown part says nothing. */
function pushSubwords(word: string, vocabulary: Vocabulary, rows: number[]): void {
  const whole = vocabulary.get(word);
  if (whole !== undefined) {
    rows.push(whole);
    return;
  }
  if (word.length > LONGEST_WORD) return;
  const before = rows.length;
  let start = 0;
  while (start < word.length) {
    let end = word.length;
    let row: number | undefined;
    for (; end > start; end--) {
      row = vocabulary.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
      if (row !== undefined) break;
    }
    if (row === undefined) {
      rows.length = before;
      return;
    }
    rows.push(row);
    start = end;
  }
}

function pushLongestMatches(run: string, vocabulary: Vocabulary, rows: number[]): void {
  let start = 0;
  while (start < run.length) {
    let end = Math.min(run.length, start + LONGEST_UNSPACED_PIECE);
    for (; end > start; end--) {
      const row = vocabulary.get(run.slice(start, end));
      if (row === undefined) continue;
      rows.push(row);
      break;
    }
    start = Math.max(end, start + 1);
  }
}
