import { describe, expect, it } from 'vitest';
import { stripInvisible } from './strip-invisible.ts';

const TAGS = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e);

describe('a text without what people can not see', () => {
  it.each([
    [`Adds${TAGS} numbers`, 'Adds numbers'],
    ['Ad\u200Bds', 'Adds'],
    ['a\u200Db and c\u200C', 'ab and c'],
    ['Deletes \u202Eelif\u202C a', 'Deletes elif a'],
    ['\uFEFFAdds', 'Adds'],
    ['Reacts with 👩‍💻', 'Reacts with 👩‍💻'],
    ['می‌خواهم', 'می‌خواهم'],
  ])('%j is read as %j', (text, seen) => {
    expect(stripInvisible(text)).toBe(seen);
  });
});
