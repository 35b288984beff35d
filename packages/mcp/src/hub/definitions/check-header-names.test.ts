import { describe, expect, it } from 'vitest';
import { findBadHeaderName } from './check-header-names.ts';
import { listDefinition } from './list-tools.ts';
import { readDefinitions } from './read-definitions.ts';

const marked = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name }) as never;
const schema = (properties: object) => ({ type: 'object', properties }) as never;

describe('marks that ask for a parameter as a header', () => {
  it.each([
    ['no marks', schema({ a: { type: 'string' } })],
    ['several names', schema({ a: marked('Region'), b: marked('Tenant-Id', 'integer'), c: marked('X', 'boolean') })],
    ['a nested parameter', schema({ a: schema({ b: marked('Region') }) })],
    ['a parameter that is called so', schema({ 'x-mcp-header': { type: 'string' } })],
    ['a value that looks like one', schema({ a: { type: 'object', default: { 'x-mcp-header': '' } } })],
  ])('are fine: %s', (_, given) => {
    expect(findBadHeaderName(given)).toBeUndefined();
  });

  it.each([
    ['it is not a name', schema({ a: marked('') })],
    ['it is not a name', schema({ a: marked(7) })],
    ['"My Region" can\'t be the name of a header', schema({ a: marked('My Region') })],
    ['"A:B" can\'t be the name of a header', schema({ a: marked('A:B') })],
    ['"Größe" can\'t be the name of a header', schema({ a: marked('Größe') })],
    ['"A\\r\\nB" can\'t be the name of a header', schema({ a: marked('A\r\nB') })],
    ['only a string, an integer or a boolean', schema({ a: marked('A', 'object') })],
    ['only a string, an integer or a boolean', schema({ a: marked('A', 'array') })],
    ['only a string, an integer or a boolean', schema({ a: marked('A', 'number') })],
    ['"region" is used twice', schema({ a: marked('Region'), b: marked('region') })],
    ['only parameters may have one', schema({ a: { type: 'array', items: marked('A') } })],
    ['only parameters may have one', schema({ a: { anyOf: [marked('A')] } })],
    ['only parameters may have one', { ...(schema({}) as object), 'x-mcp-header': 'A' } as never],
  ])('can’t be obeyed: %s', (problem, given) => {
    expect(findBadHeaderName(given)).toContain(problem);
  });

  it('are found in schemas of any size', () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    expect(findBadHeaderName(schema({ ...many, last: marked('My Region') }))).toContain('parameter "last"');
    const alternatives = Array.from({ length: 200_000 }, () => 0);
    expect(findBadHeaderName(schema({ a: { anyOf: alternatives }, z: marked('') }))).toContain('it is not a name');
  });

  it('exclude a tool, and are reported', () => {
    const tools = [
      { name: 'fine', inputSchema: schema({ a: marked('Region') }) },
      { name: 'broken', inputSchema: schema({ a: marked('My Region') }) },
    ];
    const { read, problems, unreadable } = readDefinitions(tools.map(listDefinition), { server: 'cloud' });
    expect(read.map(({ tool }) => tool.name)).toEqual(['fine']);
    expect(problems).toEqual([
      'Tool 1 ("broken") is left out: parameter "a" has an invalid x-mcp-header: "My Region" can\'t be the name of a header',
    ]);
    expect(unreadable).toContain('1 of its tools can\'t be used, such as: Tool 1 ("broken")');
  });
});
