import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from './memory-budget.ts';
import { createBodyReader } from './read-body.ts';

const MEGABYTE = 1024 * 1024;

function readerOf(cacheBytes = MEGABYTE) {
  return createBodyReader({ memory: new MemoryBudget(cacheBytes) });
}

describe('reading a body', () => {
  it('the same tools are recognised by their bytes, and given back as the same value', () => {
    const reader = readerOf();
    const tools = [{ name: 'a', description: 'brackets ] } " \\ and é' }];
    const first = reader.read(Buffer.from(JSON.stringify({ model: 'm', tools, messages: [1] })));
    const second = reader.read(Buffer.from(JSON.stringify({ tools, model: 'm', messages: [1, 2] })));
    expect(second.toolsKey).toBe(first.toolsKey);
    expect(second.value.tools).toBe(first.value.tools);
    expect(second.value).toEqual({ model: 'm', tools, messages: [1, 2] });
    expect(reader.counts).toEqual({ hits: 1, misses: 1 });
  });

  it('many different lists in turn are all recognised, the latest and those of long ago', () => {
    const reader = createBodyReader({ memory: new MemoryBudget(1e6) });
    const bodies = Array.from({ length: 40 }, (_, index) => Buffer.from(`{"tools":[{"name":"tool_${index}"}],"n":1}`));
    for (const body of bodies) reader.read(body);
    for (const body of [...bodies, ...bodies.toReversed()]) {
      expect(reader.read(body).value).toEqual(JSON.parse(body.toString()));
    }
    expect(reader.counts).toEqual({ hits: 80, misses: 40 });
  });

  it('keys stay where they were written', () => {
    const reader = readerOf();
    const text = '{"b":1,"tools":[{}],"a":2}';
    for (let round = 0; round < 2; round += 1) {
      expect(JSON.stringify(reader.read(Buffer.from(text)).value)).toBe(text);
    }
  });

  it.each([
    ['the key written twice', '{"tools":[1],"tools":[2]}'],
    ['the key written twice, once with an escape', '{"tools":[1],"t\\u006fols":[2]}'],
    ['the key written twice, the second time as null', '{"tools":[1],"tools":null}'],
    ['the key with an escape', '{"t\\u006fols":[2]}'],
    ['a nested key of the same name', '{"a":{"tools":[1]},"b":["tools",[2]]}'],
    ['a value of the same name', '{"a":"tools","b":[1]}'],
    ['tools that are no list', '{"tools":{"a":[1]}}'],
    ['white space', ' { "tools" : [ 1 , [2] ] , "a" : 1 } '],
    ['hostile keys', '{"__proto__":{"x":1},"tools":[{"__proto__":1}],"constructor":1}'],
    ['nothing', '{}'],
  ])('%s is read as JSON.parse reads it, twice', (_, text) => {
    const reader = readerOf();
    for (let round = 0; round < 2; round += 1) {
      const { value } = reader.read(Buffer.from(text));
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it.each([
    '',
    '{',
    '{"tools":[',
    '{"tools":[1',
    '{"tools":[1]',
    '{"tools":[1}',
    '{"tools":[1],}',
    'null',
    '[]',
    '{"tools":[1]]}',
  ])('refuses %j', (text) => {
    const reader = readerOf();
    reader.read(Buffer.from('{"tools":[1]}'));
    expect(() => reader.read(Buffer.from(text))).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('the message of a refusal does not quote the text', () => {
    try {
      readerOf().read(Buffer.from('{"secret words'));
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('secret');
      expect(String((error as Error).cause)).not.toContain('secret');
    }
  });

  it('reads whatever JSON.parse reads, known or not', () => {
    const reader = readerOf();
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
        fc.constantFrom(undefined, 1, '\t'),
        (tools, before, after, space) => {
          const text = JSON.stringify({ ...before, tools, ...after }, undefined, space);
          const expected = JSON.stringify(JSON.parse(text));
          for (let round = 0; round < 2; round += 1) {
            expect(JSON.stringify(reader.read(Buffer.from(text)).value)).toBe(expected);
          }
        },
      ),
    );
  });

  it('keeps no more than it may', () => {
    const reader = readerOf(1600);
    const text = (name: string) => Buffer.from(JSON.stringify({ tools: [{ name: name.repeat(60) }] }));
    reader.read(text('a'));
    reader.read(text('a'));
    reader.read(text('b'));
    reader.read(text('c'));
    reader.read(text('a'));
    expect(reader.counts).toEqual({ hits: 1, misses: 4 });
  });
});
