import { defined } from '@quartermaster/core/internal';
import { AUDIT_ACTIONS } from '@quartermaster/host/store';
import { print, write } from '../../command-io.ts';
import type { AuditFlags, CommandContext } from '../../commands/index.ts';
import { InputError } from '../../input-error.ts';
import { oneLine, renderTable } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { openConfiguredStore } from './open-configured-store.ts';

/** Prints who changed what. */
export async function listChanges(flags: AuditFlags, { io }: CommandContext): Promise<void> {
  const { json, limit, by: actor, action, subject, within, config, store: given } = flags;
  if (action !== undefined && !AUDIT_ACTIONS.some((one) => one === action || one.startsWith(`${action}.`))) {
    throw new InputError(
      `There is no action ${oneLine(action, MOST_CHARACTERS)}; allowed: ${AUDIT_ACTIONS.join(', ')}`,
    );
  }
  const from = within === undefined ? undefined : Date.now() - within;
  const store = await openConfiguredStore(loadSettings(defined({ config, store: given }), io.env).config.store);
  try {
    const entries = await store.audit.list({ limit, ...defined({ actor, action, subject, from }) });
    if (json === true) {
      await write(io.stdout, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      return;
    }
    const rows = entries.map((entry) => [
      new Date(entry.at).toISOString(),
      oneLine(entry.actorName ?? (entry.actor === '' ? 'command line' : entry.actor), MOST_CHARACTERS),
      entry.action,
      oneLine(entry.subjectName ?? entry.subject, MOST_CHARACTERS),
      oneLine(entry.detail, MOST_DETAIL_CHARACTERS),
    ]);
    const columns = ['time', 'by', 'change', 'what', ''].map((title) => ({ title }));
    await print(io, rows.length === 0 ? 'There are no such changes.' : renderTable(columns, rows));
  } finally {
    await store.close();
  }
}

const MOST_CHARACTERS = 60;
const MOST_DETAIL_CHARACTERS = 300;
