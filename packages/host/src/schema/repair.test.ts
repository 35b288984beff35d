import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

interface Row {
  readonly title: string;
  readonly schema: JsonObject;
  readonly sent: Json;
  readonly repaired: Json;
}

const NUMBERS = { type: 'array', items: { type: 'number' } };

const REPAIRED: readonly Row[] = [
  { title: 'a number in a string', schema: { type: 'integer' }, sent: ' 5 ', repaired: 5 },
  { title: 'a fraction in a string', schema: { type: 'number' }, sent: '-0.5', repaired: -0.5 },
  { title: 'a boolean in a string', schema: { type: 'boolean' }, sent: 'true', repaired: true },
  { title: 'a boolean as Python writes it', schema: { type: 'boolean' }, sent: 'False', repaired: false },
  { title: 'null in a string', schema: { type: ['number', 'null'] }, sent: 'null', repaired: null },
  { title: 'an object as JSON', schema: { type: 'object' }, sent: '{"a":[1]}', repaired: { a: [1] } },
  { title: 'a list as JSON', schema: NUMBERS, sent: '[1,2]', repaired: [1, 2] },
  { title: 'a lone value for a list', schema: NUMBERS, sent: 1, repaired: [1] },
  {
    title: 'a lone string for a list',
    schema: { type: 'array', items: { type: 'string' } },
    sent: '5',
    repaired: ['5'],
  },
  { title: 'a lone number in a string for a list of numbers', schema: NUMBERS, sent: '5', repaired: [5] },
  { title: 'strings within a list', schema: NUMBERS, sent: ['1', 2, '3'], repaired: [1, 2, 3] },
  { title: 'strings within a list as JSON', schema: NUMBERS, sent: '["1"]', repaired: [1] },
  { title: 'a number for a string', schema: { type: 'string' }, sent: 12, repaired: '12' },
  { title: 'a boolean for a string', schema: { type: 'string' }, sent: true, repaired: 'true' },
  { title: 'an allowed number in a string', schema: { type: 'integer', enum: [1, 2] }, sent: '2', repaired: 2 },
  { title: 'one type of anyOf', schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, sent: '7', repaired: 7 },
];

const LEFT: readonly Omit<Row, 'repaired'>[] = [
  { title: 'digits that a number would lose', schema: { type: 'integer' }, sent: '12345678901234567890' },
  { title: 'a number that is written with an exponent', schema: { type: 'string' }, sent: 1e21 },
  { title: 'a fraction for an integer', schema: { type: 'integer' }, sent: '5.5' },
  { title: 'a number out of its bounds', schema: { type: 'integer', maximum: 3 }, sent: '5' },
  { title: 'an empty string', schema: { type: 'number' }, sent: '' },
  { title: 'words', schema: { type: 'number' }, sent: 'five' },
  { title: 'JSON of another type', schema: { type: 'object' }, sent: '[1]' },
  { title: 'broken JSON', schema: { type: 'object' }, sent: '{a:1}' },
  { title: 'a lone value that no list may hold', schema: NUMBERS, sent: 'x' },
  { title: 'a value that is not allowed', schema: { enum: ['open'] }, sent: 'Open' },
];

function parameter(schema: JsonObject): JsonObject {
  return { type: 'object', properties: { a: schema } };
}

describe('repair', () => {
  it.each(REPAIRED)('$title is repaired', ({ schema, sent, repaired }) => {
    const check = checkValue(parameter(schema), { a: sent, b: 1 }, { repair: true });
    expect(check).toEqual({ kind: 'good', repaired: { a: repaired, b: 1 }, unchecked: [] });
  });

  it.each(REPAIRED)('$title is a problem where repair is off', ({ schema, sent }) => {
    expect(checkValue(parameter(schema), { a: sent }).kind).toBe('wrong');
  });

  it.each(LEFT)('$title is left as a problem', ({ schema, sent }) => {
    const check = checkValue({ ...parameter(schema), required: ['a'] }, { a: sent }, { repair: true });
    expect(check).toEqual(checkValue({ ...parameter(schema), required: ['a'] }, { a: sent }));
    expect(check.kind).toBe('wrong');
  });

  it('null is removed for an optional parameter, and stays a problem for a required one', () => {
    const schema = parameter({ type: 'string' });
    expect(checkValue(schema, { a: null, b: 2 }, { repair: true })).toMatchObject({ kind: 'good', repaired: { b: 2 } });
    expect(checkValue({ ...schema, required: ['a'] }, { a: null }, { repair: true }).kind).toBe('wrong');
  });

  it('is skipped if something else is wrong, and the problems are those of the original', () => {
    const schema = { ...parameter({ type: 'number' }), required: ['c'] };
    expect(checkValue(schema, { a: '5' }, { repair: true })).toMatchObject({
      kind: 'wrong',
      problems: [{ path: '', message: 'lacks the required parameter `c`' }, { path: '/a' }],
    });
  });

  it('leaves what was sent untouched, and keeps hostile keys as plain keys', () => {
    const sent = JSON.parse('{"__proto__":{"a":"5"},"constructor":"6"}');
    const before = JSON.stringify(sent);
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"properties":{"a":{"type":"number"}}},"constructor":{"type":"number"}}}',
    );
    const check = checkValue(schema, sent, { repair: true });
    expect(JSON.stringify(sent)).toBe(before);
    expect(JSON.stringify(check.kind === 'good' ? check.repaired : undefined)).toBe(
      '{"__proto__":{"a":5},"constructor":6}',
    );
  });

  it('is given up when the budget runs out before the result is checked', () => {
    const outcomes = Array.from({ length: 30 }, (_, maxSteps) => {
      const check = checkValue(parameter({ type: 'number' }), { a: '5' }, { repair: true, maxSteps });
      return check.kind === 'good' ? (check.repaired ?? 'let through') : 'wrong';
    });
    const inOrder = [...new Set(outcomes.map((outcome) => JSON.stringify(outcome)))];
    expect(inOrder).toEqual(['"let through"', '"wrong"', '{"a":5}']);
  });

  it('a valid value is not touched', () => {
    expect(checkValue(parameter({ type: ['string', 'number'] }), { a: '5' }, { repair: true })).toEqual({
      kind: 'good',
      unchecked: [],
    });
  });
});
