import { defined } from '@quartermaster/core/internal';
import { AUDIT_ACTIONS } from '@quartermaster/host/store';
import type { CommandContext, JsonFlag, SettingsFlags } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { oneLine, printRows } from '../../terminal/index.ts';
import { withNamedStore } from './open-configured-store.ts';

interface AuditFlags extends SettingsFlags, JsonFlag {
  readonly limit: number;
  readonly by?: string;
  readonly action?: string;
  readonly subject?: string;
  /** Milliseconds. */
  readonly within?: number;
}

/** Prints who changed what. */
export async function listChanges(flags: AuditFlags, context: CommandContext): Promise<void> {
  const { limit, by: actor, action, subject, within } = flags;
  if (action !== undefined && !AUDIT_ACTIONS.some((one) => one === action || one.startsWith(`${action}.`))) {
    throw new InputError(
      `There is no action ${oneLine(action, MOST_CHARACTERS)}; allowed: ${AUDIT_ACTIONS.join(', ')}`,
    );
  }
  const from = within === undefined ? undefined : Date.now() - within;
  const filter = { limit, ...defined({ actor, action, subject, from }) };
  await printRows(context.io, {
    rows: await withNamedStore(flags, context, ({ audit }) => audit.list(filter)),
    isJson: flags.json === true,
    columns: ['time', 'by', 'change', 'what', ''],
    cellsOf: (entry) => [
      new Date(entry.at).toISOString(),
      oneLine(entry.actorName ?? (entry.actor === '' ? 'no key' : entry.actor), MOST_CHARACTERS),
      entry.action,
      oneLine(entry.subjectName ?? entry.subject, MOST_CHARACTERS),
      oneLine(entry.detail, MOST_DETAIL_CHARACTERS),
    ],
    none: 'There are no such changes.',
  });
}

const MOST_CHARACTERS = 60;
const MOST_DETAIL_CHARACTERS = 300;
