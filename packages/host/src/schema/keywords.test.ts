import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

interface Row {
  readonly schema: JsonObject;
  readonly good: readonly Json[];
  readonly wrong: readonly Json[];
}

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  type: [
    { schema: { type: 'string' }, good: ['', 'a'], wrong: [1, null, true, [], {}] },
    { schema: { type: 'integer' }, good: [1, 1.0, -0, 1e20], wrong: [1.5, '1', null] },
    { schema: { type: 'number' }, good: [1, 1.5], wrong: ['1', true] },
    { schema: { type: 'boolean' }, good: [true, false], wrong: [0, 'true', null] },
    { schema: { type: 'null' }, good: [null], wrong: [0, '', false] },
    { schema: { type: 'array' }, good: [[]], wrong: [{}, 'a'] },
    { schema: { type: 'object' }, good: [{}], wrong: [[], null, 'a'] },
    { schema: { type: ['string', 'null'] }, good: ['a', null], wrong: [1, {}] },
  ],
  'type in capitals (Gemini)': [{ schema: { type: 'STRING' }, good: ['a'], wrong: [1] }],
  'a type that is not JSON Schema’s is not checked': [
    { schema: { type: 'any' }, good: [1, 'a', null], wrong: [] },
    { schema: { type: ['string', 'file'] }, good: [1, 'a'], wrong: [] },
  ],
  'nullable (OpenAPI)': [
    { schema: { type: 'string', nullable: true }, good: ['a', null], wrong: [1] },
    { schema: { enum: ['a'], nullable: true }, good: ['a', null], wrong: ['b'] },
    { schema: { type: 'string', nullable: false }, good: ['a'], wrong: [null] },
  ],
  'enum and const': [
    { schema: { enum: ['a', 1, null] }, good: ['a', 1, null], wrong: ['b', '1', false, 0] },
    { schema: { enum: [{ a: 1, b: [2] }] }, good: [{ b: [2], a: 1 }], wrong: [{ a: 1 }, { a: 1, b: [2, 3] }] },
    { schema: { const: 0 }, good: [0, -0], wrong: [false, '0', null] },
    { schema: { const: null }, good: [null], wrong: [0] },
    { schema: { const: 'a', enum: ['a', 'b'] }, good: ['a'], wrong: ['b'] },
    { schema: { const: 'a', enum: ['b'] }, good: [], wrong: ['a', 'b'] },
  ],
  'bounds of numbers': [
    { schema: { minimum: 1 }, good: [1, 'a'], wrong: [0.9] },
    { schema: { maximum: 1 }, good: [1], wrong: [1.1] },
    { schema: { exclusiveMinimum: 1 }, good: [1.1], wrong: [1] },
    { schema: { exclusiveMaximum: 1 }, good: [0.9], wrong: [1] },
    { schema: { $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true }, good: [2], wrong: [1] },
    { schema: { $schema: DRAFT_4, maximum: 1, exclusiveMaximum: true }, good: [0], wrong: [1] },
    { schema: { $schema: DRAFT_4, minimum: 1, exclusiveMinimum: false }, good: [1], wrong: [0] },
    { schema: { multipleOf: 0.1 }, good: [0.3, 1.1, 4.35e1, 0], wrong: [0.35] },
    { schema: { multipleOf: 0.123456789 }, good: [], wrong: [1e308] },
    { schema: { multipleOf: 3 }, good: [9, -9, 'a'], wrong: [10] },
    { schema: { multipleOf: 0 }, good: [1], wrong: [] },
  ],
  'lengths count code points': [
    { schema: { minLength: 2 }, good: ['ab', '😀😀', 5], wrong: ['a', '😀'] },
    { schema: { maxLength: 1 }, good: ['', '😀', '\ud800'], wrong: ['ab'] },
  ],
  pattern: [
    { schema: { pattern: 'b' }, good: ['abc', 5], wrong: ['ac'] },
    { schema: { pattern: '^\\d+$' }, good: ['12'], wrong: ['12\n', '١٢', ''] },
  ],
  'format is only an annotation': [{ schema: { format: 'email' }, good: ['not an address', 1], wrong: [] }],
  'sizes of lists and objects': [
    { schema: { minItems: 1, maxItems: 2 }, good: [[1], [1, 2], {}], wrong: [[], [1, 2, 3]] },
    { schema: { minProperties: 1, maxProperties: 1 }, good: [{ a: 1 }, []], wrong: [{}, { a: 1, b: 2 }] },
  ],
  items: [
    { schema: { items: { type: 'string' } }, good: [[], ['a'], {}], wrong: [['a', 1]] },
    { schema: { items: false }, good: [[]], wrong: [[1]] },
    {
      schema: { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      good: [['a', 1], []],
      wrong: [[1], ['a', 'b']],
    },
    { schema: { prefixItems: [true], items: false }, good: [[1]], wrong: [[1, 2]] },
  ],
  'items as a list (before 2020)': [
    { schema: { items: [{ type: 'string' }] }, good: [['a', 1], []], wrong: [[1]] },
    { schema: { items: [true], additionalItems: false }, good: [[1]], wrong: [[1, 2]] },
    { schema: { items: {}, additionalItems: false }, good: [[1, 2]], wrong: [] },
  ],
  uniqueItems: [
    {
      schema: { uniqueItems: true },
      good: [[], [1, '1', true], [{ a: 1 }, { a: 2 }], [0, false, null]],
      wrong: [
        [1, 1.0],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [0, -0],
      ],
    },
    { schema: { uniqueItems: false }, good: [[1, 1]], wrong: [] },
  ],
  contains: [
    { schema: { contains: { type: 'string' } }, good: [[1, 'a'], {}], wrong: [[], [1]] },
    {
      schema: { contains: true, minContains: 2, maxContains: 3 },
      good: [
        [1, 2],
        [1, 2, 3],
      ],
      wrong: [[1], [1, 2, 3, 4]],
    },
    { schema: { contains: { const: 1 }, minContains: 0 }, good: [[], [2]], wrong: [] },
  ],
  'properties and required': [
    { schema: { properties: { a: { type: 'string' } } }, good: [{}, { a: 'x' }, { b: 1 }, []], wrong: [{ a: 1 }] },
    { schema: { required: ['a'] }, good: [{ a: null }, []], wrong: [{}, { b: 1 }] },
    { schema: { properties: { a: false } }, good: [{}], wrong: [{ a: 1 }] },
  ],
  patternProperties: [
    {
      schema: { patternProperties: { '^x-': { type: 'number' } } },
      good: [{ 'x-a': 1, b: 'c' }],
      wrong: [{ 'x-a': 'b' }],
    },
  ],
  additionalProperties: [
    {
      schema: { properties: { a: true }, patternProperties: { '^x': true }, additionalProperties: false },
      good: [{ a: 1, xy: 2 }],
      wrong: [{ b: 1 }],
    },
    { schema: { additionalProperties: { type: 'number' } }, good: [{ a: 1 }], wrong: [{ a: 'b' }] },
  ],
  propertyNames: [
    { schema: { propertyNames: { maxLength: 2 } }, good: [{ ab: 1 }, {}], wrong: [{ abc: 1 }] },
    { schema: { propertyNames: false }, good: [{}], wrong: [{ a: 1 }] },
  ],
  dependencies: [
    { schema: { dependentRequired: { a: ['b'] } }, good: [{}, { b: 1 }, { a: 1, b: 1 }], wrong: [{ a: 1 }] },
    { schema: { dependentSchemas: { a: { minProperties: 2 } } }, good: [{ a: 1, b: 1 }, { b: 1 }], wrong: [{ a: 1 }] },
    {
      schema: { $schema: DRAFT_7, dependencies: { a: ['b'], c: { required: ['d'] } } },
      good: [{ a: 1, b: 1 }],
      wrong: [{ a: 1 }, { c: 1 }],
    },
  ],
  'allOf, anyOf, oneOf, not': [
    { schema: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, good: [1, 2], wrong: [0, 3] },
    { schema: { anyOf: [{ type: 'string' }, { minimum: 2 }] }, good: ['a', 2], wrong: [1] },
    { schema: { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, good: [1, 2.5], wrong: [3, 1.5] },
    { schema: { not: { type: 'string' } }, good: [1], wrong: ['a'] },
    { schema: { not: {} }, good: [], wrong: [1, null] },
  ],
  'if, then, else': [
    {
      schema: JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":1}}'),
      good: ['ab', 1],
      wrong: ['a', 0],
    },
    { schema: JSON.parse('{"if":{"type":"string"},"then":false}'), good: [1], wrong: ['a'] },
    { schema: JSON.parse('{"then":false,"else":false}'), good: [1], wrong: [] },
  ],
  unevaluatedProperties: [
    {
      schema: { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      good: [{ a: 1, b: 1 }],
      wrong: [{ c: 1 }],
    },
    {
      schema: {
        anyOf: [{ properties: { a: { const: 1 } } }, { properties: { b: true } }],
        unevaluatedProperties: false,
      },
      good: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
      wrong: [{ a: 2 }, { a: 2, b: 1 }],
    },
    {
      schema: JSON.parse(
        '{"if":{"required":["a"],"properties":{"a":true}},"then":{"properties":{"b":true}},"unevaluatedProperties":false}',
      ),
      good: [{ a: 1, b: 1 }, {}],
      wrong: [{ b: 1 }],
    },
    {
      schema: {
        $ref: '#/$defs/x',
        unevaluatedProperties: { type: 'number' },
        $defs: { x: { properties: { a: true } } },
      },
      good: [{ a: 'x', b: 1 }],
      wrong: [{ b: 'x' }],
    },
    {
      schema: { not: { not: { properties: { a: true } } }, unevaluatedProperties: false },
      good: [{}],
      wrong: [{ a: 1 }],
    },
  ],
  unevaluatedItems: [
    { schema: { prefixItems: [true], unevaluatedItems: false }, good: [[1]], wrong: [[1, 2]] },
    {
      schema: { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
      good: [[1, 'a'], ['a']],
      wrong: [[1, 'a', 2]],
    },
    {
      schema: { $schema: DRAFT_2019, items: [true], unevaluatedItems: { type: 'string' } },
      good: [[1, 'a']],
      wrong: [[1, 2]],
    },
  ],
  'unknown keywords and keywords with impossible values are ignored': [
    {
      schema: {
        colour: 'red',
        required: 'a',
        properties: [],
        minimum: '1',
        pattern: 3,
        anyOf: {},
        enum: {},
        items: 5 as Json,
      },
      good: [1, 'a', {}, []],
      wrong: [],
    },
    { schema: { properties: { a: { type: 'string', required: true } } }, good: [{ a: 'x' }, {}], wrong: [{ a: 1 }] },
  ],
};

describe.each(Object.entries(TABLE))('%s', (_, rows) => {
  const cases = rows.flatMap(({ schema, good, wrong }) => [
    ...good.map((value) => ({ schema, value, kind: 'good' })),
    ...wrong.map((value) => ({ schema, value, kind: 'wrong' })),
  ]);

  it.each(cases)('$schema finds $value $kind', ({ schema, value, kind }) => {
    expect(checkValue(schema, value).kind).toBe(kind);
  });
});
