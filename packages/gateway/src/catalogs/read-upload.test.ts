import { createSnapshot, parseTools } from '@quartermaster/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUpload } from './read-upload.ts';

const read = (text: string) => readUpload(Buffer.from(text), 100);

describe('an uploaded catalog', () => {
  it('is what the whole text says, alone or under a key, however it is divided', async () => {
    const unit = fc.constantFrom('a', '"', '\\\\', ']', '}', ',', 'é', '😀');
    const definition = fc.record({ description: fc.string({ maxLength: 20_000, unit }), more: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(fc.array(definition, { maxLength: 10 }), fc.constantFrom(0, 2), async (list, space) => {
        const definitions = list.map(({ description, more }, at) => ({
          ...{ name: `tool_${at}`, description },
          inputSchema: { type: 'object', default: more },
        }));
        const { hash } = createSnapshot(parseTools(definitions).tools);
        const expected = { hash, tools: JSON.stringify(definitions), toolCount: definitions.length, findings: [] };
        expect(await read(JSON.stringify(definitions, undefined, space))).toEqual(expected);
        expect(await read(JSON.stringify({ a: [1], tools: definitions, b: '' }, undefined, space))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    '',
    '[',
    '[{]',
    '[{}',
    '{"tools":[}',
    '{"tools":[{"name":"a"},]}',
    '[1,,2]',
    '[,]',
    '{"tools":[{"name":"a"}]',
    '{"tools":[{"name":"a"}],}',
  ])('%j is refused as no JSON', async (text) => {
    await expect(read(text)).rejects.toThrow(expect.objectContaining({ status: 400 }));
    expect(() => JSON.parse(text)).toThrow();
  });

  it.each([
    ['{"tools":[{"name":"a"}],"tools":[{"name":"b"}]}', 'b'],
    ['{"t\\u006fols":[{"name":"c"}]}', 'c'],
    [' [ {"name":"d"} ] ', 'd'],
  ])('%j is read as JSON.parse reads it', async (text, name) => {
    expect(JSON.parse((await read(text)).tools)).toEqual([{ name }]);
  });

  it('tells the place of a definition that can’t be read among all of them', async () => {
    const definitions = Array.from({ length: 40 }, (_, at) => (at === 30 ? 7 : { name: `tool_${at}` }));
    await expect(read(JSON.stringify(definitions))).rejects.toThrow('Tool 30 ');
  });

  it('loses the invisible characters of its texts, and says so', async () => {
    const tags = String.fromCodePoint(0xe0049, 0xe0067);
    const parameters = { type: 'object', properties: { path: { description: `A${tags} path` } } };
    const { tools, findings } = await read(
      JSON.stringify([
        { name: 'a', description: 'Reacts with 👩‍💻' },
        { type: 'function', function: { name: 'b', description: 'Ad\u200Bds', parameters } },
      ]),
    );
    expect(tools).not.toMatch(/[\u{200B}\u{E0000}-\u{E007F}]/u);
    expect(tools).toContain('👩‍💻');
    expect(findings).toEqual([
      expect.objectContaining({ tool: 'b', message: 'Invisible characters were removed from its texts: 3' }),
    ]);
  });

  it.each([
    { name: 'send\u200B_mail' },
    { type: 'function', function: { name: 'send\u2060' } },
    { name: 'send', server: 'ma\u202Eil' },
    { name: 'send', input_schema: { type: 'object', properties: { 'to\u200B': {} } } },
  ])('is refused with invisible characters in a name: %j', async (definition) => {
    await expect(read(JSON.stringify([{ name: 'a' }, definition]))).rejects.toThrow(
      /^Tool 1 \("(mail\/)?send.*"\) has a name with invisible characters/,
    );
  });

  it('refuses more tools than there may be, and what is no list', async () => {
    const many = JSON.stringify(Array.from({ length: 101 }, (_, at) => ({ name: `t${at}` })));
    await expect(read(many)).rejects.toThrow('raise limits.catalogTools');
    await expect(read('{"tools":7}')).rejects.toThrow('should be a list');
    await expect(read('null')).rejects.toThrow('should be a list');
  });
});
