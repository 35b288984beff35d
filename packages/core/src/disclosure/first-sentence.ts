import { sentenceEnds } from './sentence-ends.ts';

/**
 * The first sentence of a description on one line, at most `maxLength` characters. Line breaks and control characters become
 * spaces, so that a description can't pass for another line of the text it is put into.
 */
export function firstSentence(description: string, maxLength: number): string {
  const flat = fold(description, maxLength);
  const sentence = flat.slice(0, sentenceEnds(flat)[0]);
  return cutText(sentence.replace(/[.。]$/u, ''), maxLength);
}

/** Cuts without splitting a surrogate pair, and says so with an ellipsis that counts. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = Math.max(0, maxLength - 1);
  const code = text.charCodeAt(end - 1);
  const isHigh = code >= 0xd800 && code <= 0xdbff;
  return `${text.slice(0, isHigh ? end - 1 : end).trimEnd()}…`;
}

/** A text on one line, at most `maxLength` characters: for names that come from outside. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(fold(text, maxLength), maxLength);
}

/** Twice the length leaves room for the spaces that are folded; the rest of a huge text is never looked at. */
function fold(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength * 2 + 200)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}
