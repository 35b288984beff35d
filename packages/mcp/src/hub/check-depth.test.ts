import type { JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { checkDepth, DEEPEST_RESULT } from './check-depth.ts';

function nested(levels: number): JsonObject {
  const inner = levels - 1;
  return { a: JSON.parse(`${'['.repeat(inner)}${']'.repeat(inner)}`) };
}

describe('checkDepth', () => {
  it('accepts what can be serialized', () => {
    const result = nested(DEEPEST_RESULT);
    expect(checkDepth(result, 'files')).toBe(result);
    expect(JSON.stringify(result)).toHaveLength(DEEPEST_RESULT * 2 + 4);
  });

  it.each([DEEPEST_RESULT + 1, 100_000])('refuses %i levels', (levels) => {
    expect(() => checkDepth(nested(levels), 'files')).toThrow(
      'Server "files" answered with a result that nests deeper than 1000 levels',
    );
  });

  it('stops at circular results', () => {
    const result: Record<string, JsonObject> = {};
    result.self = result;
    expect(() => checkDepth(result, 'files')).toThrow('nests deeper');
  });
});
