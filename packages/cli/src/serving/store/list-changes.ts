import { write } from '../../command-io.ts';
import type { AuditFlags, CommandContext } from '../../commands/index.ts';
import { oneLine, renderTable } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { openConfiguredStore } from './open-configured-store.ts';

/** Who changed which key or catalog. */
export async function listChanges({ json, limit, ...place }: AuditFlags, { io }: CommandContext): Promise<void> {
  const store = await openConfiguredStore(loadSettings(place, io.env).config.store);
  try {
    const entries = await store.audit.list({ limit });
    if (json === true) {
      await write(io.stdout, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      return;
    }
    const rows = entries.map(({ at, actor, action, subject, detail }) => [
      new Date(at).toISOString(),
      oneLine(actor === '' ? 'command line' : actor, MOST_CHARACTERS),
      action,
      oneLine(subject, MOST_CHARACTERS),
      oneLine(detail, MOST_CHARACTERS),
    ]);
    const columns = ['time', 'by', 'change', 'what', ''].map((title) => ({ title }));
    await write(io.stdout, `${rows.length === 0 ? 'There are no changes yet.' : renderTable(columns, rows)}\n`);
  } finally {
    await store.close();
  }
}

const MOST_CHARACTERS = 60;
