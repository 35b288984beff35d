import { describe, expect, it } from 'vitest';
import { wrap } from './wrap.ts';

describe('wrap', () => {
  it('breaks at spaces and indents', () => {
    expect(wrap('one two three four', 10, { indent: 2, hanging: 4 })).toBe('  one two\n    three\n    four');
  });

  it('gives a long word a line of its own, and colours no room', () => {
    expect(wrap('a verylongword b', 5)).toBe('a\nverylongword\nb');
    expect(wrap('\u001b[1mab\u001b[22m cd', 5)).toBe('\u001b[1mab\u001b[22m cd');
  });
});
