import { createTool } from '@quartermaster/core/catalog';
import type { Own, Shown } from '@quartermaster/core/disclosure';
import { describe, expect, it } from 'vitest';
import { renderOwn, renderShown } from './render-tool.ts';

const tool = createTool({
  server: 'files',
  name: 'read',
  description: 'Reads a file. It can be of any size, and is read in pieces.',
  schema: { type: 'object', properties: { path: { type: 'string' } } },
});

function shown(more: Partial<Shown> = {}): Shown {
  return { tool, name: 'files__read', as: 'full', description: tool.description, schema: tool.schema, ...more };
}

describe('renderShown', () => {
  it('shows a tool as its server defines it, under its name in the proxy', () => {
    expect(renderShown(shown())).toEqual({
      name: 'files__read',
      description: tool.description,
      inputSchema: tool.schema,
    });
  });

  it('shows a stub as the plan does', () => {
    const schema = { type: 'object' };
    const stub = shown({ as: 'stub', description: 'Reads a file. …', schema });
    expect(renderShown(stub)).toEqual({ name: 'files__read', description: 'Reads a file. …', inputSchema: schema });
  });
});

describe('renderOwn', () => {
  const own: Own = { role: 'search', name: 'tool_search', description: 'Search.', schema: { type: 'object' } };

  it('puts the note into the description of the search tool, which every client shows', () => {
    expect(renderOwn(own, 'There is more.').description).toBe('Search.\n\nThere is more.');
    expect(renderOwn({ ...own, role: 'call' }, 'There is more.').description).toBe('Search.');
  });

  it('marks the search as read-only, and a call as its tool is marked', () => {
    expect(renderOwn(own, undefined).annotations).toEqual({ readOnlyHint: true });
    expect(renderOwn({ ...own, role: 'call' }, undefined).annotations).toBeUndefined();
  });
});
