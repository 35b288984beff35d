import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stubDescription } from './make-plan.ts';

describe('stubDescription', () => {
  it.each([
    [
      'behind the last whole sentence',
      'Opens an issue. Needs a repository. Fails when it is archived.',
      40,
      'Opens an issue. Needs a repository. …',
    ],
    [
      'behind the last whole line',
      'Opens an issue\nin a repository\n\nArgs:\n  owner: who',
      34,
      'Opens an issue\nin a repository …',
    ],
    [
      'behind a full stop without a space, in Chinese',
      '打开一个问题。需要一个仓库。归档时失败，请先取消归档。',
      18,
      '打开一个问题。需要一个仓库。 …',
    ],
    [
      'behind the last whole word, where the sentences are too short',
      'Go. Opens an issue in the repository of somebody else',
      30,
      'Go. Opens an issue in the …',
    ],
    ['not inside a number', 'Needs version 1.25 of the server or a later one', 20, 'Needs version 1.25 …'],
    ['between characters, where there is neither', 'x'.repeat(50), 20, `${'x'.repeat(18)} …`],
    ['not inside a surrogate pair', '😀'.repeat(20), 11, `${'😀'.repeat(4)} …`],
  ])('cuts %s', (_, description, maxLength, expected) => {
    expect(stubDescription(description, maxLength)).toBe(expected);
  });

  it('leaves the bytes of what fits alone', () => {
    for (const text of ['', ' Opens\n\tan issue. ', 'x'.repeat(20)]) expect(stubDescription(text, 20)).toBe(text);
    const long = 'word '.repeat(10_000);
    expect(stubDescription(long, Number.POSITIVE_INFINITY)).toBe(long);
  });

  it('shows only that there is a description if none of it may be shown', () => {
    for (const maxLength of [0, 1, 2]) expect(stubDescription('Opens an issue', maxLength)).toBe('…');
  });

  it('is a marked start of the description within the limit, for any text', () => {
    const text = fc
      .array(fc.constantFrom('a', 'bc', ' ', '. ', '\n', '。', '😀', '\ud800', '!'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 40 }), (description, maxLength) => {
        const shown = stubDescription(description, maxLength);
        expect(shown.length).toBeLessThanOrEqual(maxLength);
        if (shown === description) return;
        expect(description.length).toBeGreaterThan(maxLength);
        expect(shown.endsWith('…')).toBe(true);
        const kept = shown.slice(0, -1).trimEnd();
        expect(description.trimStart().startsWith(kept)).toBe(true);
        // Never half of a pair that was whole.
        expect(isWellFormed(kept) || !isWellFormed(description)).toBe(true);
      }),
    );
  });
});

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}
