import type { Tool } from '@quartermaster/core';
import { createTool, type JsonSchema } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { createArgumentChecker } from './create-argument-checker.ts';
import type { Unchecked } from './evaluator.ts';

const COUNT: JsonSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

function toolWith(schema: JsonSchema): Tool {
  return createTool({ name: 'tally', schema });
}

describe('createArgumentChecker', () => {
  it('answers good, or wrong with the problems', () => {
    const check = createArgumentChecker();
    expect(check(toolWith(COUNT), { count: 1 })).toEqual({ kind: 'good' });
    expect(check(toolWith(COUNT), { count: '1' })).toEqual({
      kind: 'wrong',
      problems: [{ path: '/count', message: 'must be an integer, not the string "1"' }],
    });
  });

  it('passes repaired arguments on if repair is on', () => {
    const check = createArgumentChecker({ repair: true });
    expect(check(toolWith(COUNT), { count: '1' })).toEqual({ kind: 'good', arguments: { count: 1 } });
    expect(check(toolWith(COUNT), { count: 1 })).toEqual({ kind: 'good' });
  });

  it('a tool without a schema accepts any object', () => {
    expect(createArgumentChecker()(createTool({ name: 'open' }), { a: 1 })).toEqual({ kind: 'good' });
  });

  it('reports what it could not decide, and for which tool', () => {
    const told: { tool: string; unchecked: readonly Unchecked[] }[] = [];
    const check = createArgumentChecker({ onUnchecked: (tool, unchecked) => told.push({ tool: tool.id, unchecked }) });
    expect(check(toolWith({ properties: { a: { pattern: '\\p{L}' } } }), { a: '1' })).toEqual({ kind: 'good' });
    check(toolWith(COUNT), { count: 1 });
    expect(told).toEqual([{ tool: 'tally', unchecked: [{ reason: 'pattern-not-supported', detail: '\\p{L}' }] }]);
  });

  it('the problems and the bytes are limited as asked', () => {
    const schema: JsonSchema = { additionalProperties: false };
    const check = createArgumentChecker({ maxProblems: 2 });
    expect(check(toolWith(schema), { a: 1, b: 2, c: 3 })).toEqual({
      kind: 'wrong',
      problems: [
        { path: '/a', message: '`a` is not a parameter: leave it out' },
        { path: '', message: 'has 2 more problems' },
      ],
    });
  });
});

it('refuses an unknown option, and lists the known ones', () => {
  expect(() => createArgumentChecker({ repairs: true } as never)).toThrow(
    /^createArgumentChecker: unknown option "repairs"; allowed: .*\brepair; did you mean repair\?$/,
  );
});
