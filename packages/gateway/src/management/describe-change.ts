import { createSnapshot, type Tool } from '@quartermaster/core';
import { snapshotTokens } from '@quartermaster/core/gate';
import { type DefinitionChange, findSuspicions } from '@quartermaster/mcp';
import { type ToolFinding, trustFinding } from './describe-tools.ts';

/** A changed definition, as people decide about it. */
export interface DescribedChange {
  readonly tool: string;
  readonly server: string;
  /** What was looked at: a decision names it, so that nobody accepts what changed meanwhile. */
  readonly hash: string;
  /** Whether the tool stays out of the catalog until the change is accepted. */
  readonly held: boolean;
  readonly is_new: boolean;
  readonly fields: readonly { readonly field: string; readonly before: string | null; readonly after: string | null }[];
  readonly tokens: { readonly before: number | null; readonly after: number };
  /** What the trust check finds in the new definition. */
  readonly findings: readonly ToolFinding[];
}

export function describeChange(change: DefinitionChange, server: string): DescribedChange {
  const { tool, before, after, fields, hash, isHeld, isNew = false } = change;
  // The definition as a whole says nothing that its fields don't, unless nothing else differs.
  const named = fields.filter((field) => field !== 'definition');
  const shown: readonly DefinitionChange['fields'][number][] = isNew
    ? ['description', 'schema']
    : named.length === 0
      ? fields
      : named;
  const { name, description, schema } = after;
  return {
    ...{ tool, server, hash, held: isHeld, is_new: isNew },
    fields: shown.map((field) => ({
      field,
      before: isNew ? null : textOf(before, field),
      after: textOf(after, field),
    })),
    tokens: { before: isNew ? null : tokensOf(before), after: tokensOf(after) },
    findings: findSuspicions({ name, description, inputSchema: schema }).map(trustFinding),
  };
}

function tokensOf(tool: Tool): number {
  return snapshotTokens(createSnapshot([tool])).total;
}

function textOf(tool: Tool, field: DefinitionChange['fields'][number]): string | null {
  switch (field) {
    case 'description':
      return visible(tool.description);
    case 'schema':
    case 'policy':
      return visible(JSON.stringify(tool[field], undefined, 2));
    case 'definition':
      return visible(JSON.stringify(tool.extras, undefined, 2));
    default: {
      const value = tool.extras[field];
      return value === undefined ? null : visible(JSON.stringify(value, undefined, 2));
    }
  }
}

/** A definition can be megabytes long; what matters to people is at its start. */
const MOST_CHARACTERS = 20_000;

/** Characters that can't be seen are spelled out: they are what a reader has to notice. */
function visible(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS)
    .replace(/[\p{Cf}\p{Co}]/gu, (unseen) => `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`);
}
