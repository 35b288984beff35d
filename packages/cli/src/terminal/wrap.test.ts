import { describe, expect, it } from 'vitest';
import { wrap } from './wrap.ts';

describe('wrap', () => {
  it('breaks at spaces and indents', () => {
    expect(wrap('one two three four', 10, { indent: 2, hanging: 4 })).toBe('  one two\n    three\n    four');
  });

  it('breaks a text of a script without spaces by the columns that it takes', () => {
    expect(wrap('a 搜索所有的文件', 8, { indent: 0, hanging: 2 })).toBe('a 搜索所\n  有的文\n  件');
  });

  it('gives a long word its own line, and ignores colours', () => {
    expect(wrap('a verylongword b', 5)).toBe('a\nverylongword\nb');
    expect(wrap('\u001b[1mab\u001b[22m cd', 5)).toBe('\u001b[1mab\u001b[22m cd');
  });
});
