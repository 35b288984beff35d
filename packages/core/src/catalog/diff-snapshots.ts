import type { Snapshot } from './create-snapshot.ts';
import { renderDefinition, renderTool } from './render-tool.ts';
import type { Tool, ToolExtras } from './tool.ts';

/** What changed from one snapshot to the next. */
export interface SnapshotDiff {
  /** In the order of the later snapshot. */
  readonly added: readonly Tool[];
  /** In the order of the earlier snapshot. */
  readonly removed: readonly Tool[];
  /** In the order of the later snapshot. */
  readonly changed: readonly ChangedTool[];
  /** Whether the content is the same, order included: then the hashes are equal too. */
  readonly same: boolean;
}

/** A tool that is in both snapshots with different content. */
export interface ChangedTool {
  readonly before: Tool;
  readonly after: Tool;
  readonly fields: readonly ChangedField[];
}

/** What can change about a tool with the same id; `definition` is what only its format has, including the order of its keys. */
export type ChangedField = 'description' | 'schema' | 'policy' | Exclude<keyof ToolExtras, 'verbatim'> | 'definition';

/** Compares two snapshots by tool id. Tools that only moved are in none of the lists. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const added: Tool[] = [];
  const changed: ChangedTool[] = [];
  for (const tool of after.tools) {
    const earlier = before.get(tool.id);
    if (earlier === undefined) added.push(tool);
    else if (earlier !== tool && renderTool(earlier) !== renderTool(tool)) {
      changed.push({ before: earlier, after: tool, fields: changedFields(earlier, tool) });
    }
  }
  const removed = before.tools.filter((tool) => after.get(tool.id) === undefined);
  const isSame = added.length + removed.length + changed.length === 0;
  return { added, removed, changed, same: isSame && hasSameOrder(before, after) };
}

function hasSameOrder(before: Snapshot, after: Snapshot): boolean {
  return before.tools.every((tool, index) => tool.id === after.tools[index]?.id);
}

function changedFields(before: Tool, after: Tool): readonly ChangedField[] {
  const fields: ChangedField[] = [];
  if (before.description !== after.description) fields.push('description');
  if (differs(before.schema, after.schema)) fields.push('schema');
  if (before.policy !== after.policy) fields.push('policy');
  const extras = Object.keys({ ...before.extras, ...after.extras }) as (keyof ToolExtras)[];
  for (const field of extras) {
    if (field !== 'verbatim' && differs(before.extras[field], after.extras[field])) fields.push(field);
  }
  if (renderDefinition(before) !== renderDefinition(after)) fields.push('definition');
  return fields;
}

function differs(a: unknown, b: unknown): boolean {
  return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}
