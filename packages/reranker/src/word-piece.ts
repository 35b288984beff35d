/** Splits a text into the numbers of its pieces, as the model was trained to read them. */
export interface WordPiece {
  /** `[CLS]`, the pieces of the text, `[SEP]`; never more than `limit` in all. */
  split(text: string, limit: number): number[];
  /** Whether every word of a text is a piece of its own in ASCII, as nearly all English words are. */
  isWhole(text: string): boolean;
}

/**
 * WordPiece over an uncased BERT vocabulary, one piece a line, its number the line's. Lower case without accents, a word of
 * its own for each punctuation mark and each Chinese character, then greedily the longest known piece; `##` marks one that
 * continues a word. A word with an unknown part is `[UNK]` as a whole. Special pieces written out in a text are plain words.
 */
export function createWordPiece(vocabulary: string): WordPiece {
  const pieces = new Map(
    vocabulary
      .trimEnd()
      .split('\n')
      .map((piece, number) => [piece, number]),
  );
  const [first, last, unknown] = ['[CLS]', '[SEP]', '[UNK]'].map((piece) => {
    const number = pieces.get(piece);
    if (number === undefined) throw new RangeError(`The vocabulary has no piece ${piece}; it is not one of BERT's`);
    return number;
  }) as [number, number, number];
  const longest = [...pieces.keys()].reduce((most, piece) => Math.max(most, piece.length), 0);
  return {
    split(text, limit) {
      const numbers = [first];
      for (const [word] of normalise(text).matchAll(WORD)) {
        if (numbers.length >= limit - 1) break;
        numbers.push(...(splitWord(word, pieces, longest) ?? [unknown]));
      }
      numbers.length = Math.min(numbers.length, limit - 1);
      numbers.push(last);
      return numbers;
    },
    isWhole(text) {
      const normal = normalise(text);
      return ASCII_ONLY.test(normal) && [...normal.matchAll(WORD)].every(([word]) => pieces.has(word));
    },
  };
}

function normalise(text: string): string {
  const cut = text.slice(0, LONGEST_TEXT);
  if (ASCII_ONLY.test(cut)) return cut.toLowerCase();
  return (
    cut
      .replace(INVISIBLE, '')
      .replace(CHINESE, ' $& ')
      .normalize('NFD')
      .replace(ACCENT, '')
      // Character by character there is no final sigma; JavaScript would look at the word.
      .replaceAll('Σ', 'σ')
      .toLowerCase()
  );
}

/** Half of a surrogate pair is never a piece, so that cutting between code units does no harm. */
function splitWord(word: string, pieces: ReadonlyMap<string, number>, longest: number): number[] | undefined {
  if (word.length > LONGEST_WORD && [...word].length > LONGEST_WORD) return undefined;
  const numbers: number[] = [];
  let start = 0;
  while (start < word.length) {
    const mark = start === 0 ? '' : '##';
    let end = Math.min(word.length, start + longest);
    while (end > start && !pieces.has(mark + word.slice(start, end))) end -= 1;
    const number = pieces.get(mark + word.slice(start, end));
    if (end === start || number === undefined) return undefined;
    numbers.push(number);
    start = end;
  }
  return numbers;
}

/** Far more than any limit on pieces lets through; bounds the work on untrusted text. */
const LONGEST_TEXT = 4_096;
/** In characters; BERT's own bound. */
const LONGEST_WORD = 100;
/** Printable, with the white space that is kept. */
const ASCII_ONLY = /^[\t\n\r -~]*$/;
/** Control and format characters, private ones, lone surrogates and the replacement character. Tab and line ends separate. */
const INVISIBLE = /[^\P{C}\t\n\r]|\uFFFD/gu;
/** The blocks that BERT splits character by character; kana and Hangul are not among them. */
const CHINESE =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;
const ACCENT = /\p{Mn}/gu;
/** One punctuation mark, ASCII's symbols included, or a run of anything else that is not white space. */
const WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
