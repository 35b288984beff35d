import { POSITION, type PositionTest } from './expression.ts';
import { categorySet, hasCharacter } from './unicode/character-set.ts';

/** A text as code points, in an array that is reused from one text to the next. */
export interface TextBuffer {
  codes: Int32Array;
  length: number;
}

export function textBuffer(): TextBuffer {
  return { codes: new Int32Array(256), length: 0 };
}

export function fillBuffer(buffer: TextBuffer, text: string): void {
  if (buffer.codes.length < text.length) buffer.codes = new Int32Array(text.length * 2);
  const { codes } = buffer;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) {
      code = text.codePointAt(index) ?? code;
      if (code > 0xffff) index++;
    }
    codes[length++] = code;
  }
  buffer.length = length;
}

const LINE_FEED = 0x0a;

/** Whether a position test holds before the code point at `at`. */
export function holdsAt(test: PositionTest, { codes, length }: TextBuffer, at: number): boolean {
  switch (test) {
    case POSITION.textStart:
      return at === 0;
    case POSITION.lineStart:
      return at === 0 || codes[at - 1] === LINE_FEED;
    case POSITION.textEnd:
      return at === length;
    case POSITION.lastLineEnd:
      return at === length || (at === length - 1 && codes[at] === LINE_FEED);
    case POSITION.lineEnd:
      return at === length || codes[at] === LINE_FEED;
    case POSITION.wordBoundary:
    case POSITION.asciiWordBoundary:
      return isBoundary(test === POSITION.asciiWordBoundary, codes, length, at);
    case POSITION.notWordBoundary:
    case POSITION.notAsciiWordBoundary:
      return length > 0 && !isBoundary(test === POSITION.notAsciiWordBoundary, codes, length, at);
  }
}

function isBoundary(ascii: boolean, codes: Int32Array, length: number, at: number): boolean {
  const word = categorySet('word', ascii);
  const isWordBefore = at > 0 && hasCharacter(word, codes[at - 1] ?? 0);
  const isWordAfter = at < length && hasCharacter(word, codes[at] ?? 0);
  return isWordBefore !== isWordAfter;
}
