import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { ArgumentProblem } from '@quartermaster/core/dispatch';
import { describe, expect, it } from 'vitest';
import { checkValue } from './check-value.ts';

const ISSUE: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    body: { type: 'string' },
    labels: { type: 'array', items: { type: 'string' } },
    state: { enum: ['open', 'closed'] },
    count: { type: 'integer', minimum: 1 },
  },
  required: ['title', 'body'],
  additionalProperties: false,
};

function tagged(...tags: string[]): JsonObject {
  return {
    oneOf: tags.map((tag) => ({
      type: 'object',
      properties: { kind: { const: tag }, [tag]: { type: 'number' } },
      required: ['kind', tag],
    })),
  };
}

interface Row {
  readonly title: string;
  readonly schema: JsonObject;
  readonly value: Json;
  readonly problems: readonly ArgumentProblem[];
}

const ROWS: readonly Row[] = [
  {
    title: 'a misspelt parameter, with the one that was meant',
    schema: ISSUE,
    value: { titel: 'x', body: 'y' },
    problems: [
      { path: '', message: 'lacks the required parameter `title` (string)' },
      { path: '/titel', message: '`titel` is not a parameter; did you mean `title`?', closest: 'title' },
    ],
  },
  {
    title: 'another spelling of case and underscores',
    schema: { properties: { issue_number: {} }, additionalProperties: false },
    value: { issueNumber: 1 },
    problems: [
      {
        path: '/issueNumber',
        message: '`issueNumber` is not a parameter; did you mean `issue_number`?',
        closest: 'issue_number',
      },
    ],
  },
  {
    title: 'an unknown parameter, with the known ones',
    schema: ISSUE,
    value: { title: 'x', body: 'y', zzz: 1 },
    problems: [
      { path: '/zzz', message: '`zzz` is not a parameter; there are `title`, `body`, `labels`, `state` and `count`' },
    ],
  },
  {
    title: 'a parameter of a tool without any',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    value: { a: 1 },
    problems: [{ path: '/a', message: '`a` is not a parameter: leave it out' }],
  },
  {
    title: 'all that is missing in one line',
    schema: ISSUE,
    value: {},
    problems: [{ path: '', message: 'lacks the required parameters `title` (string) and `body` (string)' }],
  },
  {
    title: 'a missing parameter that was sent misspelt to an open object',
    schema: { ...ISSUE, additionalProperties: true },
    value: { titel: 'x', body: 'y' },
    problems: [
      {
        path: '',
        message: 'lacks the required parameter `title` (string); did you mean `title` instead of `titel`?',
      },
    ],
  },
  {
    title: 'wrong types, with what was sent',
    schema: ISSUE,
    value: { title: 5, body: null, labels: 'bug', count: { a: 1 } },
    problems: [
      { path: '/title', message: 'must be a string, not the number 5' },
      { path: '/body', message: 'must be a string, not null' },
      { path: '/labels', message: 'must be an array of strings, not the string "bug"' },
      { path: '/count', message: 'must be an integer, not an object with `a`' },
    ],
  },
  {
    title: 'the allowed values, and the nearest',
    schema: ISSUE,
    value: { title: 'x', body: 'y', state: 'Open' },
    problems: [{ path: '/state', message: 'must be "open" or "closed", not the string "Open"; did you mean "open"?' }],
  },
  {
    title: 'a bounded list of allowed values',
    schema: { properties: { a: { enum: Array.from({ length: 40 }, (_, index) => index) } } },
    value: { a: 99 },
    problems: [
      { path: '/a', message: 'must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 28 more, not the number 99' },
    ],
  },
  {
    title: 'bounds',
    schema: ISSUE,
    value: { title: '', body: 'y', count: 0 },
    problems: [
      { path: '/title', message: 'must have at least 1 character, not 0' },
      { path: '/count', message: 'must be at least 1, not 0' },
    ],
  },
  {
    title: 'a nested place',
    schema: {
      properties: { 'a/b': { items: { properties: { c: { type: 'number' } }, additionalProperties: false } } },
    },
    value: { 'a/b': [{ c: 1 }, { c: 'x', d: 1 }] },
    problems: [
      { path: '/a~1b/1/c', message: 'must be a number, not the string "x"' },
      { path: '/a~1b/1/d', message: '`d` is not a field; there is `c`' },
    ],
  },
  {
    title: 'several types of anyOf as one',
    schema: { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }, { enum: [1, 2] }] } } },
    value: { a: [1] },
    problems: [{ path: '/a', message: 'must be 1 or 2, or a string or null, not an array of 1 item' }],
  },
  {
    title: 'the form of a tagged union that was meant',
    schema: { properties: { a: tagged('x', 'y') } },
    value: { a: { kind: 'y' } },
    problems: [{ path: '/a', message: 'lacks the required field `y` (number)' }],
  },
  {
    title: 'the tags of a union, when none of them was sent',
    schema: { properties: { a: tagged('x', 'y', 'z') } },
    value: { a: { kind: 'q' } },
    problems: [{ path: '/a/kind', message: 'must be one of "x", "y" or "z", not the string "q"' }],
  },
  {
    title: 'alternatives of required parameters',
    schema: { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
    value: {},
    problems: [{ path: '', message: 'must have `a` or (`b` and `c`)' }],
  },
  {
    title: 'forms without anything in common',
    schema: { anyOf: [{ minProperties: 2 }, { properties: { a: { type: 'string' } } }] },
    value: { a: 1 },
    problems: [
      {
        path: '',
        message:
          'fits none of the 2 forms that it may have: (1) must have at least 2 fields, not 1; (2) `a` must be a string, not the number 1',
      },
    ],
  },
  {
    title: 'parameters that exclude each other',
    schema: { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    value: { a: 1, b: 1 },
    problems: [{ path: '', message: 'must have only one of `a` or `b`' }],
  },
  {
    title: 'a value that fits two forms',
    schema: { oneOf: [{ type: 'object' }, { minProperties: 0 }] },
    value: {},
    problems: [{ path: '', message: 'must fit exactly one of its 2 forms, not forms 1 and 2 at once' }],
  },
  {
    title: 'not',
    schema: { properties: { a: { not: { const: 1 } } }, not: { required: ['a', 'b'] } },
    value: { a: 1, b: 1 },
    problems: [
      { path: '/a', message: 'must not be what its schema excludes: {"const":1}' },
      { path: '', message: 'must not have `a` and `b` together' },
    ],
  },
  {
    title: 'a parameter that another one needs',
    schema: { dependentRequired: { a: ['b', 'c'] } },
    value: { a: 1 },
    problems: [{ path: '', message: 'needs `b` and `c` too, because `a` is given' }],
  },
  {
    title: 'lists',
    schema: { properties: { a: { uniqueItems: true }, b: { contains: { type: 'string' } }, c: { maxItems: 1 } } },
    value: { a: [1, 2, 1], b: [1], c: [1, 2] },
    problems: [
      { path: '/a', message: 'must not repeat an item: items 0 and 2 are the same' },
      { path: '/b', message: "must contain at least 1 item of the kind that its schema's `contains` describes, not 0" },
      { path: '/c', message: 'must have at most 1 item, not 2' },
    ],
  },
  {
    title: 'a pattern',
    schema: { properties: { a: { pattern: '^\\d+$' } } },
    value: { a: 'x' },
    problems: [{ path: '/a', message: 'must match the pattern ^\\d+$, not the string "x"' }],
  },
  {
    title: 'a name',
    schema: { propertyNames: { pattern: '^[a-z]+$' } },
    value: { 'A\n': 1 },
    problems: [
      {
        path: '/A\n',
        message: '`"A\\n"` can\'t be used as a name here: it must match the pattern ^[a-z]+$, not the string "A\\n"',
      },
    ],
  },
  {
    title: 'a parameter that is forbidden',
    schema: { properties: { a: false } },
    value: { a: 1 },
    problems: [{ path: '/a', message: 'must be left out' }],
  },
];

describe('problems say what to send', () => {
  it.each(ROWS)('$title', ({ schema, value, problems }) => {
    expect(checkValue(schema, value)).toEqual({ kind: 'wrong', problems, unchecked: [] });
  });

  it('long values and names are cut, not in the middle of a surrogate pair', () => {
    const schema = { properties: { a: { type: 'number' } } };
    expect(checkValue(schema, { a: `${'x'.repeat(58)}😀😀` })).toEqual({
      kind: 'wrong',
      problems: [{ path: '/a', message: `must be a number, not the string "${'x'.repeat(58)}…"` }],
      unchecked: [],
    });
  });

  it('the same problem is reported once', () => {
    const part = { properties: { a: { type: 'number' } } };
    expect(checkValue({ allOf: [part, part] }, { a: 'x' })).toMatchObject({ problems: [{ path: '/a' }] });
  });

  it('problems past the number or the bytes are counted', () => {
    const schema = { items: { type: 'string' } };
    const check = checkValue(schema, [1, 2, 3, 4, 5], { maxProblems: 3 });
    expect(check).toEqual({
      kind: 'wrong',
      problems: [
        { path: '/0', message: 'must be a string, not the number 1' },
        { path: '/1', message: 'must be a string, not the number 2' },
        { path: '', message: 'has 3 more problems' },
      ],
      unchecked: [],
    });
    expect(checkValue(schema, [1, 2, 3], { maxBytes: 10 })).toMatchObject({
      problems: [{ path: '/0' }, { path: '', message: 'has 2 more problems' }],
    });
  });
});
