import { cutText, sentenceEnds } from '../text/index.ts';

/** What a stub shows of its tool. */
export const STUB_DEFAULTS: { readonly descriptionLength: number } = { descriptionLength: 280 };

/** Says that there is more, and that a search shows it; the plan's note explains it to the model. */
const CUT = ' …';

/**
 * A description as a stub shows it, at most `maxLength` characters. What fits stays byte for byte. What does not is cut behind its
 * last whole sentence or line, or behind its last whole word where the sentences that fit are less than half of what may be
 * shown; a text without either is cut between two characters.
 */
export function stubDescription(description: string, maxLength: number): string {
  if (description.length <= maxLength) return description;
  const room = Math.max(0, Math.floor(maxLength) - CUT.length);
  // One character more, so that an end can be told from the middle of a word or number.
  const head = description.slice(0, room + 1);
  const end =
    lastEnd(head, [...sentenceEnds(head), ...endsOf(head, LINE_END)]) ?? lastEnd(head, endsOf(head, WORD_END));
  const kept = end === undefined ? cutText(description, room + 1).slice(0, -1) : head.slice(0, end);
  return `${kept.trimEnd()}${CUT}`.trimStart();
}

const LINE_END = /(?=[\r\n])/gu;
const WORD_END = /(?<=\S)(?=\s)/gu;

function endsOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}

/** The last end that leaves the last character out and keeps at least half of the others. */
function lastEnd(text: string, ends: readonly number[]): number | undefined {
  const most = text.length - 1;
  const fitting = ends.filter((end) => end <= most && end >= most / 2);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}
