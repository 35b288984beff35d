import { describe, expect, it } from 'vitest';
import type { Tool } from '../../catalog/index.ts';
import { textOf } from '../call-context.fixture.ts';

describe('a description', () => {
  it.each<[string, unknown]>([
    ['a name', { name: 'github__close_issue' }],
    ['a quoted name', { name: '"github__close_issue"' }],
    ['one name where a list was due', { names: 'github__close_issue' }],
    ['tool_name', { tool_name: 'github__close_issue' }],
    ['another spelling', { name: 'Github.closeIssue' }],
    ['the bare name', { name: 'close_issue' }],
  ])('understands %s', async (_, input) => {
    expect(JSON.parse(await textOf('tool_describe', input))).toMatchObject({
      name: 'github__close_issue',
      parameters: { type: 'object' },
    });
  });

  it('answers for several', async () => {
    const answer = JSON.parse(
      await textOf('tool_describe', { names: ['github__close_issue', 'send_message', 'nope'] }),
    );
    expect(answer.tools.map((tool: Tool) => tool.name)).toEqual(['github__close_issue', 'slack__send_message']);
    expect(answer.unknown).toEqual(['nope']);
  });

  it('says how to search when it is asked about the search itself', async () => {
    expect(JSON.parse(await textOf('tool_describe', { name: 'tool_search' }))).toMatchObject({
      name: 'tool_search',
      description: expect.stringContaining('Search'),
      parameters: { properties: { query: { type: 'string' } } },
    });
    const answer = JSON.parse(await textOf('tool_describe', { names: ['tool_call', 'close_issue'] }));
    expect(answer.tools.map((tool: Tool) => tool.name)).toEqual(['tool_call', 'github__close_issue']);
  });

  it('suggests the closest names for one that does not exist', async () => {
    expect(await textOf('tool_describe', { name: 'clos_isue' })).toBe(
      'There is no tool "clos_isue". Closest: github__close_issue. Use tool_search to find tools.',
    );
  });
});
