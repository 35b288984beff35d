import { describe, expect, it } from 'vitest';
import { nameKey } from '../text/characters.ts';
import { findNames, findOneName, type NameSource } from './find-names.ts';

const TOOLS = [
  { server: 'bank', name: 'get_accounts' },
  { server: 'bank', name: 'get' },
  { server: 'shop', name: 'accounts' },
  { server: 'git-hub', name: 'create_issue' },
  { server: 'shop', name: 'create_issue' },
];

const source: NameSource = {
  findNames: (key) => positions((tool) => nameKey(tool.name) === key),
  findServerNames: (server, key) => positions((tool) => nameKey(tool.name) === key && nameKey(tool.server) === server),
  hasServer: (key) => TOOLS.some((tool) => nameKey(tool.server) === key),
  findModelNames: (name) => (name === 'x_1f0c9a3e' ? [3] : []),
  nameOf: (tool) => TOOLS[tool]?.name ?? '',
  longestKey: 24,
  longestServerKey: 6,
};

function positions(fits: (tool: (typeof TOOLS)[number]) => boolean): number[] {
  return TOOLS.flatMap((tool, position) => (fits(tool) ? [position] : []));
}

describe('findNames', () => {
  it.each([
    ['get accounts', [0], 'one long name rather than two short ones'],
    ['get, get_accounts', [1, 0], 'names in the order of the query'],
    ['create_issue', [3, 4], 'every tool with the name'],
    ['git-hub/create_issue', [3], 'a name after its server'],
    ['mcp__shop__create_issue', [4], 'a name as an agent sees it'],
    ['please call create_issue now', [3, 4], 'a name that stands out'],
    ['please `get` it', [1], 'a name in backticks'],
    ['x_1f0c9a3e', [3], 'a name that only a model sees'],
    ['please get the accounts', [], 'no name in plain words'],
    ['', [], 'no name in nothing'],
    ['… — !', [], 'no name in punctuation'],
  ])('finds in %j %j: %s', (text, tools) => {
    expect(findNames(text, source)).toEqual(tools);
  });

  it('accepts a text of any length', () => {
    expect(findNames('get '.repeat(5_000), source)).toEqual([]);
    expect(findOneName('a_'.repeat(5_000), source)).toEqual([]);
  });
});
