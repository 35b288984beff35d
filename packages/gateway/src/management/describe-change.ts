import { createSnapshot, type Tool } from '@quartermaster/core';
import { snapshotTokens } from '@quartermaster/core/gate';
import { type ChangedField, changedFields, type DefinitionChange, findSuspicions } from '@quartermaster/mcp';
import { type ToolFinding, trustFinding } from './describe-tools.ts';

/** A changed definition, for people to decide about. */
export interface DescribedChange {
  readonly tool: string;
  readonly server: string;
  /** Identifies what was looked at: a decision names it, so that a later change is not accepted by mistake. */
  readonly hash: string;
  /** Whether the tool is left out of the catalog until the change is accepted. */
  readonly held: boolean;
  readonly is_new: boolean;
  readonly fields: readonly ChangedField[];
  readonly tokens: { readonly before: number | null; readonly after: number };
  /** The trust check's findings in the new definition. */
  readonly findings: readonly ToolFinding[];
}

export function describeChange(change: DefinitionChange, server: string): DescribedChange {
  const { tool, before, after, hash, isHeld, isNew = false } = change;
  const { name, description, schema } = after;
  return {
    ...{ tool, server, hash, held: isHeld, is_new: isNew },
    fields: changedFields(change),
    tokens: { before: isNew ? null : tokensOf(before), after: tokensOf(after) },
    findings: findSuspicions({ name, description, inputSchema: schema }).map(trustFinding),
  };
}

function tokensOf(tool: Tool): number {
  return snapshotTokens(createSnapshot([tool])).total;
}
