import { describe, expect, it } from 'vitest';
import { stripInvisible } from './strip-invisible.ts';

const TAGS = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e);

describe('text without invisible characters', () => {
  it.each([
    [`Adds${TAGS} numbers`, 'Adds numbers'],
    ['Ad\u200Bds', 'Adds'],
    ['a\u200Db and c\u200C', 'ab and c'],
    ['Deletes \u202Eelif\u202C a', 'Deletes elif a'],
    ['\uFEFFAdds', 'Adds'],
    ['Ad\uFE01\u{E0110}ds \u3164and\u00AD', 'Adds and'],
    [`Smiles 😀${String.fromCodePoint(0xfe0f, 0xe0110, 0xe0111)}`, 'Smiles 😀\uFE0F'],
    ['Step 1️⃣ ❤️ 葛\u{E0100}', 'Step 1️⃣ ❤️ 葛\u{E0100}'],
    ['Reacts with 👩‍💻', 'Reacts with 👩‍💻'],
    ['می‌خواهم', 'می‌خواهم'],
  ])('%j is read as %j', (text, seen) => {
    expect(stripInvisible(text)).toBe(seen);
  });
});
