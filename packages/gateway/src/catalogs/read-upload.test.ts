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
        const expected = { hash, tools: JSON.stringify(definitions), toolCount: definitions.length };
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

  it('refuses more tools than there may be, and what is no list', async () => {
    const many = JSON.stringify(Array.from({ length: 101 }, (_, at) => ({ name: `t${at}` })));
    await expect(read(many)).rejects.toThrow('raise limits.catalogTools');
    await expect(read('{"tools":7}')).rejects.toThrow('should be a list');
    await expect(read('null')).rejects.toThrow('should be a list');
  });
});
