import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPartialArguments } from './reader.ts';

/** An oracle's view of streaming: each leaf with its path, texts cut in two. */
function piecesOf(value: unknown, path: string): readonly { [key: string]: string | number | boolean }[] {
  if (typeof value === 'string') {
    const middle = Math.floor(value.length / 2);
    return [value.slice(0, middle), value.slice(middle)].map((stringValue) => ({ jsonPath: path, stringValue }));
  }
  if (typeof value === 'number') return [{ jsonPath: path, numberValue: value }];
  if (typeof value === 'boolean') return [{ jsonPath: path, boolValue: value }];
  if (value === null) return [{ jsonPath: path, nullValue: 'NULL_VALUE' }];
  if (Array.isArray(value)) return value.flatMap((one, index) => piecesOf(one, `${path}[${index}]`));
  return Object.entries(value as object).flatMap(([key, one]) =>
    piecesOf(one, `${path}['${key.replace(/[\\']/g, '\\$&')}']`),
  );
}

describe('arguments in pieces', () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const key = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('__proto__', 'constructor', 'a b'));
  const list = fc.array(leaf, { minLength: 1, maxLength: 3 });
  const inner = fc.dictionary(key, fc.oneof(leaf, list), { minKeys: 1, maxKeys: 3 });

  it('are what they were before they were cut', () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(leaf, list, inner), { maxKeys: 4 }), (value) => {
        const built = createPartialArguments();
        for (const piece of piecesOf(value, '$')) built.add([piece]);
        expect(JSON.parse(JSON.stringify(built.value()))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(['', '$', 'query', '$..query', '$[99999999]', '$.a[', 7])(
    'pass over a path that can’t be read: %j',
    (jsonPath) => {
      const built = createPartialArguments({ kept: true });
      built.add([{ jsonPath, stringValue: 'x' }]);
      expect(built.value()).toEqual({ kept: true });
    },
  );
});
