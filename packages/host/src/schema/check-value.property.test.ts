import type { Json, JsonObject } from '@quartermaster/core/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';
import { isValid } from './naive-validator.fixture.ts';

const NAMES = ['a', 'b', '__proto__', 'constructor'] as const;
const name = fc.constantFrom(...NAMES);
const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, '', 'a', 'ab', '😀', 'a\n');

const { value }: { value: fc.Arbitrary<Json> } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

const small = fc.integer({ min: 0, max: 3 });

const { schema }: { schema: fc.Arbitrary<Json> } = fc.letrec<{ schema: Json }>((tie) => {
  const part = tie('schema');
  const parts = fc.array(part, { minLength: 1, maxLength: 2 });
  const keyword: fc.Arbitrary<readonly [string, Json]> = fc.oneof(
    fc.tuple(
      fc.constant('type'),
      fc.constantFrom<Json>('null', 'boolean', 'integer', 'number', 'string', 'array', 'object'),
    ),
    fc.tuple(fc.constant('enum'), fc.array(value, { minLength: 1, maxLength: 3 })),
    fc.tuple(fc.constant('const'), value),
    fc.tuple(
      fc.constantFrom('minimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxProperties'),
      small,
    ),
    fc.tuple(fc.constant('multipleOf'), fc.constantFrom(1, 2, 0.5)),
    fc.tuple(fc.constant('pattern'), fc.constantFrom('^a', 'a$', '^.$', '\\s')),
    fc.tuple(fc.constant('uniqueItems'), fc.constant(true)),
    fc.tuple(fc.constant('required'), fc.uniqueArray(name, { minLength: 1, maxLength: 2 })),
    fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems'), parts),
    fc.tuple(
      fc.constantFrom('not', 'items', 'contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else'),
      part,
    ),
    fc.tuple(
      fc.constant('properties'),
      fc.array(fc.tuple(name, part), { maxLength: 2 }).map((entries): Json => Object.fromEntries(entries)),
    ),
    fc.tuple(fc.constant('$ref'), fc.constantFrom('#/$defs/text', '#/$defs/short')),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc.array(keyword, { maxLength: 3 }).map((entries): Json => Object.fromEntries(entries)),
    ),
  };
});

const root = schema.map(
  (part): JsonObject => ({
    allOf: [part],
    $defs: { text: { type: 'string' }, short: { maxProperties: 1, maxItems: 1 } },
  }),
);

describe('checkValue', () => {
  it('agrees with the definitions of the keywords', () => {
    fc.assert(
      fc.property(root, value, (whole, sent) => {
        const check = checkValue(whole, sent);
        expect(check.unchecked).toEqual([]);
        expect(check.kind).toBe(isValid(whole, sent) ? 'good' : 'wrong');
        expect(check.kind === 'wrong' ? check.problems.length > 0 : true).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('with any budget, rejects only what the definitions reject', () => {
    fc.assert(
      fc.property(root, value, fc.nat(40), fc.nat(6), (whole, sent, maxSteps, maxDepth) => {
        const check = checkValue(whole, sent, { maxSteps, maxDepth });
        expect(check.kind === 'wrong' && isValid(whole, sent)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('with any budget, what it repairs is valid', () => {
    fc.assert(
      fc.property(fc.tuple(name, root), value, fc.integer({ min: 5, max: 200 }), ([key, part], sent, maxSteps) => {
        const { $defs = {} } = part;
        const whole = { properties: Object.fromEntries([[key, part]]), $defs };
        const check = checkValue(whole, Object.fromEntries([[key, sent]]), { repair: true, maxSteps });
        const repaired = check.kind === 'good' ? check.repaired : undefined;
        expect(repaired === undefined || isValid(whole, repaired)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts any JSON as a schema without throwing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('$ref', '$id', 'type', 'items', 'properties', 'allOf', 'not', 'required'),
          fc.jsonValue(),
        ),
        fc.jsonValue(),
        (whole, sent) => {
          expect(['good', 'wrong']).toContain(checkValue(whole as JsonObject, sent as Json).kind);
        },
      ),
      { numRuns: 500 },
    );
  });
});
