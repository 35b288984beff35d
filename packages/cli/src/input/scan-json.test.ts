import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError, findJsonPath, lineAt } from './scan-json.ts';

describe('findJsonError', () => {
  it.each([
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['{a: 1}', 1],
    ['[1, 2', 5],
    ['', 0],
    ['[01]', 2],
    ['"ab\ncd"', 3],
    ['"a\\x"', 2],
    ['"\\u12g4"', 1],
    ['[1] 2', 4],
    ['nul', 0],
    ['[-]', 1],
    ['{"a": [1, {"b": }]}', 16],
    [']', 0],
  ])('%j is broken at %i', (text, offset) => {
    expect(findJsonError(text)).toBe(offset);
  });

  it('agrees with JSON.parse on documents with parts cut out', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat({ max: 3 }), (json, place, length) => {
        const start = place % (json.length + 1);
        const text = json.slice(0, start) + json.slice(start + length);
        expect(findJsonError(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with JSON.parse on random text of JSON characters', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}[]",:0-1.e+\\utrfn \n'), maxLength: 12 });
    fc.assert(
      fc.property(text, (candidate) => {
        expect(findJsonError(candidate) === undefined).toBe(isJson(candidate));
      }),
      { numRuns: 2_000 },
    );
  });

  it('handles deep nesting and strings full of escapes', () => {
    expect(findJsonError('['.repeat(1_000_000))).toBe(1_000_000);
    expect(findJsonError(`"${'\\n'.repeat(1_000_000)}`)).toBe(2_000_001);
  });
});

describe('findJsonPath', () => {
  const text = '{"tools": [\n{"name": "a"},\n{"name": "b", "x": [1, {"y": 2}]}]}';

  it.each([
    [[], 0],
    [['tools'], 10],
    [['tools', 1], text.indexOf('{"name": "b"')],
    [['tools', 1, 'x', 1, 'y'], text.indexOf('2}')],
    [['tools', 2], undefined],
    [['name'], undefined],
  ])('%j is at %s', (path, offset) => {
    expect(findJsonPath(text, path)).toBe(offset);
  });

  it('counts lines from 1', () => {
    expect(lineAt(text, findJsonPath(text, ['tools', 1]) ?? 0)).toBe(3);
    expect(lineAt(text, 0)).toBe(1);
  });

  it('finds the position of every path in any document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value, null, 1);
        for (const [path, member] of paths(value, [])) {
          const offset = findJsonPath(json, path);
          expect(json.slice(offset).startsWith((JSON.stringify(member) ?? '').slice(0, 1))).toBe(true);
        }
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function* paths(value: unknown, path: readonly (string | number)[]): Generator<[(string | number)[], unknown]> {
  yield [[...path], value];
  if (Array.isArray(value)) for (const [index, member] of value.entries()) yield* paths(member, [...path, index]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* paths(member, [...path, key]);
  }
}
