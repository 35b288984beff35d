import { describe, expect, it } from 'vitest';
import { exampleArguments } from './example-arguments.ts';

describe('exampleArguments', () => {
  it('has what the schema requires, with its own values where it has some', () => {
    const schema = {
      properties: {
        id: { type: 'string' },
        role: { type: 'string', enum: ['agent', 'admin'] },
        limit: { type: 'integer', default: 20 },
        city: { type: 'string', examples: ['Oslo'] },
        note: { type: 'string' },
      },
      required: ['id', 'role', 'limit', 'city'],
    };
    expect(exampleArguments(schema)).toEqual({ id: '', role: 'agent', limit: 20, city: 'Oslo' });
  });

  it.each([undefined, null, 'text', {}, { properties: {} }, { properties: { a: {} }, required: 'a' }])(
    'is empty where the schema requires nothing: %j',
    (schema) => {
      expect(exampleArguments(schema)).toEqual({});
    },
  );
});
