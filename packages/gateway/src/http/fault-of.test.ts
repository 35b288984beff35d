import { describe, expect, it } from 'vitest';
import { originOf } from './fault-of.ts';

describe('the origin of an error', () => {
  it.each(['look at this', 'two lines\nlook at this', 'two lines\n    at this'])(
    'is none of its words: %j',
    (words) => {
      const { error, place } = originOf(new RangeError(words));
      expect(error).toBe('RangeError');
      expect(place).toMatch(/^at .*fault-of\.test\.ts/);
    },
  );

  it('is unknown for what is no error, and its place where there is no stack', () => {
    expect(originOf('look at this')).toEqual({});
    const error = new Error('look at this');
    error.stack = 'Error: look at this';
    expect(originOf(error)).toEqual({ error: 'Error', place: undefined });
  });
});
