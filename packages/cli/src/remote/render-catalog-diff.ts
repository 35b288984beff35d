import type { Snapshot } from '@quartermaster/core';
import { type ChangedTool, diffSnapshots } from '@quartermaster/core/catalog';
import { snapshotTokens } from '@quartermaster/core/gate';
import { count, counted, oneLine, type Terminal } from '../terminal/index.ts';

/** Counts first, then added tools with `+`, removed ones with `-`, and changed ones with `~` and what changed. */
export function renderCatalogDiff(before: Snapshot, after: Snapshot, terminal: Terminal): string {
  const { added, removed, changed, same } = diffSnapshots(before, after);
  if (same) return 'No difference.';
  if (added.length + removed.length + changed.length === 0) return 'The same tools in another order.';
  const { paint } = terminal;
  const headline = `${counted(added.length, 'tool')} added, ${count(removed.length)} removed, ${count(changed.length)} changed; ${difference(before, after)} tokens.`;
  return [
    paint.bold(headline),
    ...added.map((tool) => paint.green(line('+', tool.id, tool.description, terminal))),
    ...removed.map((tool) => line('-', tool.id, '', terminal)),
    ...changed.map((change) => paint.yellow(line('~', change.after.id, fieldsOf(change), terminal))),
  ].join('\n');
}

function line(mark: string, id: string, note: string, { width }: Terminal): string {
  return oneLine(`${mark} ${id}${note === '' ? '' : `  ${note}`}`, width);
}

/** The whole definition adds nothing to its fields, unless nothing else differs. */
function fieldsOf({ fields }: ChangedTool): string {
  const named = fields.filter((field) => field !== 'definition');
  return (named.length === 0 ? fields : named).join(', ');
}

function difference(before: Snapshot, after: Snapshot): string {
  const tokens = snapshotTokens(after).total - snapshotTokens(before).total;
  return `${tokens > 0 ? '+' : tokens < 0 ? '−' : ''}${count(Math.abs(tokens))}`;
}
