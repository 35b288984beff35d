import { describe, expect, it } from 'vitest';
import { listDefinition } from './list-tools.ts';
import { readDefinitions } from './read-definitions.ts';

const TAGS = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e);

describe('invisible characters', () => {
  it('are removed from definitions, while pins cover what the server sent', () => {
    const definition = {
      name: 'add',
      title: `Add${TAGS}`,
      description: `Adds${TAGS}`,
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', enum: [`x${TAGS}`], description: 'b\u200B' } },
      },
    };
    const { read, problems } = readDefinitions([listDefinition(definition)], { server: 'math' });
    expect(problems).toEqual([]);
    expect(JSON.stringify(read[0]?.tool)).not.toMatch(/[\u{E0000}-\u{E007F}\u{200B}]/u);
    expect(read[0]?.tool.description).toBe('Adds');
    expect(read[0]?.definition).toEqual(definition);
  });

  it('in the name of a tool or a parameter exclude the tool', () => {
    const { read, unreadable } = readDefinitions(
      [
        listDefinition({ name: 'a', inputSchema: { type: 'object', properties: { 'pa\u200Bth': {} } } }),
        listDefinition({ name: 'b\u2060', inputSchema: { type: 'object' } }),
      ],
      { server: 'math' },
    );
    expect(read).toEqual([]);
    expect(unreadable).toMatch(
      /^none of its tools can be used, such as: Tool 0 \("a"\) has a name with invisible char/,
    );
  });
});
