import type { JsonObject } from '@quartermaster/core/catalog';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fillArguments } from './fill-arguments.ts';

function one(name: string, schema: JsonObject): JsonObject {
  return { type: 'object', properties: { [name]: schema }, required: [name] };
}

it.each<[string, JsonObject, string, unknown]>([
  ['a quoted text', one('label', { type: 'string' }), 'Add the label "needs review"', 'needs review'],
  ['a name', one('city', { type: 'string' }), 'What is the weather in New York?', 'New York'],
  ['all that was said', one('query', { type: 'string' }), 'cheap flights', 'cheap flights'],
  ['a word of an enum', one('state', { type: 'string', enum: ['open', 'closed'] }), 'List closed issues', 'closed'],
  ['the first of an enum', one('state', { enum: ['open', 'closed'] }), 'List issues', 'open'],
  ['a constant', one('kind', { const: 'x' }), 'anything', 'x'],
  ['a whole number', one('count', { type: 'integer' }), 'Show 2.5 or 7 rows', 7],
  ['a number within bounds', one('count', { type: 'integer', maximum: 5 }), 'Show 70 rows', 5],
  ['a number where none was said', one('count', { type: 'integer', minimum: 3 }), 'Show rows', 3],
  ['a date', one('start', { type: 'string', format: 'date' }), 'from 2026-03-04 on', '2026-03-04'],
  ['a time', one('start', { type: 'string', format: 'date-time' }), 'from 2026-03-04 on', '2026-03-04T00:00:00Z'],
  ['an address', one('to', { type: 'string', format: 'email' }), 'Write to ada@example.org', 'ada@example.org'],
  ['a link', one('url', { type: 'string' }), 'Fetch https://example.org/a?b=1 now', 'https://example.org/a?b=1'],
  ['a path', one('path', { type: 'string' }), 'Read src/main.ts', 'src/main.ts'],
  ['a list of paths', one('paths', { type: 'array', items: { type: 'string' } }), 'Read a.txt', ['a.txt']],
  ['a list', one('labels', { type: 'array', items: { type: 'string' } }), 'Tag it "bug"', ['bug']],
  ['a flag that was named', one('draft', { type: 'boolean' }), 'Open it as a draft', true],
  ['a flag that was not', one('draft', { type: 'boolean' }), 'Open it', false],
  ['one of several types', one('id', { anyOf: [{ type: 'null' }, { type: 'integer' }] }), 'Close 12', 12],
  ['an object', one('at', one('city', { type: 'string' })), 'Meet in Oslo', { city: 'Oslo' }],
  ['a text that is cut', one('text', { type: 'string', maxLength: 5 }), 'much too long', 'much '],
])('fills in %s', (_what, schema, said, expected) => {
  expect(Object.values(fillArguments(schema, said))).toEqual([expected]);
});

it('uses each piece once, and leaves out what is not required', () => {
  const text: JsonObject = { type: 'string' };
  const schema: JsonObject = {
    type: 'object',
    properties: { from: text, to: text, note: text },
    required: ['from', 'to'],
  };
  expect(fillArguments(schema, 'Move "a" over to "b"')).toEqual({ from: 'a', to: 'b' });
});

it.each([
  'Write "buy milk" to notes/today.md',
  'Write to "notes/today.md" the text "buy milk"',
  'Write the text “buy milk” into the file “notes/today.md”',
])('distinguishes the file from its content: %s', (said) => {
  const text: JsonObject = { type: 'string' };
  const schema: JsonObject = { properties: { path: text, content: text }, required: ['path', 'content'] };
  expect(fillArguments(schema, said)).toEqual({ path: 'notes/today.md', content: 'buy milk' });
});

it('uses a file for the source and the target of a move', () => {
  const text: JsonObject = { type: 'string' };
  const schema: JsonObject = { properties: { source: text, destination: text }, required: ['source', 'destination'] };
  expect(fillArguments(schema, 'Move "a.txt" to "b.txt"')).toEqual({ source: 'a.txt', destination: 'b.txt' });
});

it('handles hostile schemas, and is deterministic', () => {
  const schema = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constant({}),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string', 'number', 'odd', 7),
          properties: fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor', '\ud800'), tie('node')),
          required: fc.array(fc.constantFrom('a', '__proto__', 'constructor', '\ud800', 3)),
          items: tie('node'),
          anyOf: fc.array(tie('node'), { maxLength: 2 }),
          enum: fc.array(fc.jsonValue(), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    ),
  })).node as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(schema, fc.string(), (given, said) => {
      const filled = fillArguments(given, said);
      expect(fillArguments(given, said)).toEqual(filled);
      expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    }),
  );
});
