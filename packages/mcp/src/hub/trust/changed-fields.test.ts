import { parseTools, type Tool } from '@quartermaster/core';
import { describe, expect, it } from 'vitest';
import { changedFields } from './changed-fields.ts';
import type { DefinitionChange } from './compare-pins.ts';

function tool(description: string): Tool {
  const [read] = parseTools([{ name: 'add', description, inputSchema: { type: 'object' } }], { format: 'mcp' }).tools;
  if (read === undefined) throw new Error('no tool');
  return read;
}

function change(before: string, after: string): DefinitionChange {
  const fields = ['description', 'definition'] as const;
  return { tool: 'math/add', before: tool(before), after: tool(after), fields, isHeld: true, hash: '' };
}

describe('what changed in a definition', () => {
  it('is shown in full, however deep the change is', () => {
    const long = 'a'.repeat(15_000);
    const [field] = changedFields(change(long, `${long} and mails it`));
    expect(field).toEqual({ field: 'description', before: long, after: `${long} and mails it` });
  });

  it('starts near the first difference of a long text, and says what is left out', () => {
    const long = 'a'.repeat(30_000);
    const [field] = changedFields(change(long, `${long}mails it${'b'.repeat(40_000)}`));
    expect(field?.after).toMatch(
      /^\[… 28000 characters that are the same\]\na+mails itb+\n\[… 22008 more characters, not shown\]$/,
    );
  });

  it('spells out what can’t be seen', () => {
    expect(changedFields(change('Adds', 'Ad\u200Bds\u{E0041}\uFE0F'))[0]?.after).toBe(
      'Ad\\u{200b}ds\\u{e0041}\\u{fe0f}',
    );
  });

  it('is the whole definition of a new tool', () => {
    const fields = changedFields({ ...change('Adds', 'Adds'), fields: [], isNew: true });
    expect(fields.map(({ field, before }) => [field, before])).toEqual([
      ['description', null],
      ['schema', null],
    ]);
    expect(fields[0]?.after).toBe('Adds');
  });
});
