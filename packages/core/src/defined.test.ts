import { describe, expect, it } from 'vitest';
import { defined } from './catalog/internal.ts';

describe('defined', () => {
  it('keeps null, false, zero and the empty string, and leaves undefined out', () => {
    const fields = defined({ a: undefined, b: null, c: false, d: 0, e: '' });
    expect(fields).toStrictEqual({ b: null, c: false, d: 0, e: '' });
    expect(Object.keys(fields)).not.toContain('a');
  });
});
