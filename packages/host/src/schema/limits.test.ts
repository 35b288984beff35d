import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

function nested(levels: number, innermost: Json): Json {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function doublingReferences(levels: number): JsonObject {
  const definitions = Array.from({ length: levels }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { anyOf: [next, next] }];
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${levels}`]: { type: 'string' } } };
}

function nestedSchema(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { allOf: [schema] };
  return schema;
}

interface Row {
  readonly title: string;
  readonly schema: JsonObject;
  readonly value: Json;
  readonly reason: string;
}

const UNDECIDED: readonly Row[] = [
  { title: 'a reference to itself', schema: { $ref: '#' }, value: 1, reason: 'endless-reference' },
  { title: 'the negation of itself', schema: { not: { $ref: '#' } }, value: 1, reason: 'endless-reference' },
  {
    title: 'two references to each other',
    schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    value: 1,
    reason: 'endless-reference',
  },
  { title: 'doubling references', schema: doublingReferences(60), value: 1, reason: 'out-of-steps' },
  { title: 'a deep schema', schema: nestedSchema(20_000), value: 1, reason: 'too-deep' },
  { title: 'a deep value', schema: { items: { $ref: '#' } }, value: nested(20_000, 1), reason: 'too-deep' },
  {
    title: 'a deep allowed value',
    schema: { enum: [nested(20_000, 1)] },
    value: nested(20_000, 2),
    reason: 'too-deep',
  },
  {
    title: 'deep items',
    schema: { uniqueItems: true },
    value: [nested(20_000, 1), nested(20_000, 1)],
    reason: 'too-deep',
  },
  {
    title: 'many items to compare',
    schema: { uniqueItems: true },
    value: Array.from({ length: 150_000 }, (_, index) => [index]),
    reason: 'out-of-steps',
  },
  {
    title: 'many patterns',
    schema: {
      patternProperties: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`^(a|b)+${index}`, false])),
    },
    value: { c: 1 },
    reason: 'out-of-steps',
  },
  {
    title: 'a pattern that only backtracking decides',
    schema: { pattern: '(?=(a+))(?:a*b)' },
    value: 'a'.repeat(5_000),
    reason: 'out-of-pattern-steps',
  },
  { title: 'no schema where one should be', schema: { not: null }, value: 1, reason: 'not-a-schema' },
  { title: 'a long reference', schema: { $ref: `#/${'a/'.repeat(1_000_000)}` }, value: 1, reason: 'out-of-steps' },
];

describe('limits', () => {
  it.each(UNDECIDED)('$title lets the value through with a note', ({ schema, value, reason }) => {
    const check = checkValue(schema, value, { repair: true });
    expect(check.kind).toBe('good');
    expect(check.unchecked.map((note) => note.reason)).toContain(reason);
  });

  it('a pattern that stalls backtracking engines is evaluated', () => {
    const schema = { pattern: '^(a+)+$' };
    expect(checkValue(schema, `${'a'.repeat(100_000)}b`)).toMatchObject({ kind: 'wrong', unchecked: [] });
    expect(checkValue(schema, 'a'.repeat(100_000))).toEqual({ kind: 'good', unchecked: [] });
  });

  it('a certain error stays an error when the budget runs out elsewhere', () => {
    const schema = { required: ['a'], properties: { b: doublingReferences(60) } };
    const { $defs } = doublingReferences(60);
    expect(checkValue({ ...schema, ...defined({ $defs }) }, { b: 1 })).toEqual({
      kind: 'wrong',
      problems: [{ path: '', message: 'lacks the required parameter `a`' }],
      unchecked: [{ reason: 'out-of-steps', detail: '' }],
    });
  });

  it.each<[string, JsonObject, Json]>([
    ['oneOf', { oneOf: [{ $ref: '#none' }, { type: 'number' }] }, 1],
    ['anyOf', { anyOf: [{ $ref: '#none' }, { type: 'string' }] }, 1],
    ['not', { not: { $ref: '#none' } }, 1],
    ['contains', { contains: { $ref: '#none' } }, [1]],
    ['maxContains', { contains: { $ref: '#none' }, maxContains: 0 }, [1]],
    ['if', JSON.parse('{"if":{"$ref":"#none"},"then":false}'), 1],
    ['propertyNames', { propertyNames: { $ref: '#none' } }, { a: 1 }],
    ['additionalProperties', { patternProperties: { '\\p{L}': true }, additionalProperties: false }, { a: 1 }],
    ['unevaluatedProperties', { $ref: '#none', unevaluatedProperties: false }, { a: 1 }],
    ['unevaluatedItems', { anyOf: [{ $ref: '#none' }, true], unevaluatedItems: false }, [1]],
  ])('a doubt inside %s is no rejection', (_, schema, value) => {
    expect(checkValue(schema, value).kind).toBe('good');
  });

  it.each<[string, JsonObject, Json]>([
    ['oneOf, when two others fit', { oneOf: [{ $ref: '#none' }, { type: 'number' }, true] }, 1],
    ['anyOf, when another keyword fails', { anyOf: [{ $ref: '#none' }], type: 'string' }, 1],
    [
      'contains, when too many others fit',
      { contains: { anyOf: [{ const: 1 }, { $ref: '#none' }] }, maxContains: 1 },
      [1, 1],
    ],
    ['if, when both branches fail', JSON.parse('{"if":{"$ref":"#none"},"then":false,"else":false}'), 1],
  ])('a doubt inside %s hides no failure', (_, schema, value) => {
    expect(checkValue(schema, value).kind).toBe('wrong');
  });

  it('hostile keys are plain keys', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}');
    expect(checkValue(schema, {})).toMatchObject({
      problems: [{ message: 'lacks the required parameters `__proto__` (string) and `toString`' }],
    });
    expect(checkValue(schema, JSON.parse('{"__proto__":1,"toString":1}'))).toMatchObject({
      problems: [{ path: '/__proto__', message: 'must be a string, not the number 1' }],
    });
  });

  it('lone surrogates in names and values survive', () => {
    const schema = { properties: { '\ud800': { type: 'number' } }, additionalProperties: false };
    expect(checkValue(schema, { '\ud800': '\udfff' })).toMatchObject({
      problems: [{ path: '/\ud800', message: 'must be a number, not the string "\\udfff"' }],
    });
  });

  it('a huge number of unknown parameters is reported in a few lines', () => {
    const sent = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index]));
    const check = checkValue({ additionalProperties: false }, sent);
    expect(check.kind === 'wrong' ? check.problems.length : 0).toBe(8);
  });
});
