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
    fields: shown.map((field) => {
      const [was, is] = [isNew ? null : textOf(before, field), textOf(after, field)];
      // A change far inside a long text must not look like none.
      const from = Math.max(0, firstDifference(was ?? '', is ?? '') - CHARACTERS_BEFORE);
      return { field, before: was === null ? null : excerpt(was, from), after: is === null ? null : excerpt(is, from) };
    }),
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
      return tool.description;
    case 'schema':
    case 'policy':
      return JSON.stringify(tool[field], undefined, 2);
    case 'definition':
      return JSON.stringify(tool.extras, undefined, 2);
    default: {
      const value = tool.extras[field];
      return value === undefined ? null : JSON.stringify(value, undefined, 2);
    }
  }
}

/** A definition can be megabytes long. */
const MOST_CHARACTERS = 20_000;
/** What is shown of the text before the first difference, in a long one. */
const CHARACTERS_BEFORE = 2_000;

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

/** Characters that can't be seen are spelled out, and what is left out is said: both are what a reader has to notice. */
function excerpt(text: string, from: number): string {
  const start = text.length <= MOST_CHARACTERS ? 0 : Math.min(from, text.length);
  const rest = text.length - start - MOST_CHARACTERS;
  return [
    start > 0 ? `[… ${start} characters that are the same]\n` : '',
    text.slice(start, start + MOST_CHARACTERS).replace(UNSEEN, spell),
    rest > 0 ? `\n[… ${rest} more characters, not shown]` : '',
  ].join('');
}

/** Formatting and private characters, and variation selectors, which can carry a text of their own. */
const UNSEEN = /[\p{Cf}\p{Co}]|\p{Variation_Selector}/gu;

function spell(unseen: string): string {
  return `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`;
}
