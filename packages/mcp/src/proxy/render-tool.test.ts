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
  it('shows a tool as its server wrote it, under its name here', () => {
    expect(renderShown(shown())).toEqual({
      name: 'files__read',
      description: tool.description,
      inputSchema: tool.schema,
    });
  });

  it('shows of a stub what the plan shows of it', () => {
    const schema = { type: 'object' };
    const stub = shown({ as: 'stub', description: 'Reads a file. …', schema });
    expect(renderShown(stub)).toEqual({ name: 'files__read', description: 'Reads a file. …', inputSchema: schema });
  });
});

describe('renderOwn', () => {
  const own: Own = { role: 'search', name: 'tool_search', description: 'Search.', schema: { type: 'object' } };

  it('puts the note where every client shows it: into the description of the search', () => {
    expect(renderOwn(own, 'There is more.').description).toBe('Search.\n\nThere is more.');
    expect(renderOwn({ ...own, role: 'call' }, 'There is more.').description).toBe('Search.');
  });

  it('says that searching changes nothing, and of a call only what its tool says', () => {
    expect(renderOwn(own, undefined).annotations).toEqual({ readOnlyHint: true });
    expect(renderOwn({ ...own, role: 'call' }, undefined).annotations).toBeUndefined();
  });
});
