import { describe, expect, it } from 'vitest';
import { createTool, type Tool } from '../../catalog/index.ts';
import { preferSuccessors } from './prefer-successors.ts';

const tool = (name: string, description: string, server = 'tasks'): Tool => createTool({ name, description, server });

const OLD = tool('get_tasks', 'DEPRECATED: use `list-tasks-v2` instead. Lists tasks.');
const NEW = tool('list_tasks_v2', 'Lists tasks, page by page.');
const OTHER = tool('create_task', 'Creates a task.');

function order(tools: readonly Tool[], named: readonly string[] = []): string[] {
  const parts = {
    tool: (one: Tool) => one,
    isNamed: ({ name }: Tool) => named.includes(name),
    before: (one: Tool) => one,
  };
  return preferSuccessors(tools, parts).map(({ name }) => name);
}

describe('preferSuccessors', () => {
  it('puts the successor that a deprecated tool names right before it', () => {
    expect(order([OLD, OTHER, NEW])).toEqual(['list_tasks_v2', 'get_tasks', 'create_task']);
  });

  it('puts a tool that says what it replaces before that one', () => {
    const old = tool('fetch_items', 'Fetches items (legacy).');
    const next = tool('query_items', 'Fetches items. Replaces fetch_items.');
    expect(order([OTHER, old, next])).toEqual(['create_task', 'query_items', 'fetch_items']);
  });

  it.each([
    ['the request names the deprecated one', [OLD, NEW], ['get_tasks']],
    ['the successor stands before it already', [NEW, OTHER, OLD], []],
    ['the successor is of another server', [OLD, tool('list_tasks_v2', 'Lists tasks', 'other')], []],
    ['nothing is deprecated', [OTHER, NEW], []],
    ['the deprecated one names no tool of the list', [OLD, OTHER], []],
    ['both are deprecated', [OLD, tool('list_tasks_v2', 'Deprecated too.')], []],
  ])('changes nothing where %s', (_, tools, named) => {
    expect(order(tools, named)).toEqual(tools.map(({ name }) => name));
  });
});
