import { defined } from '@quartermaster/core/internal';
import type { LearnedUseStore, UseScope } from '@quartermaster/host/store';
import { print, write } from '../../command-io.ts';
import type { CommandContext, ForgetUsageFlags, ListUsageFlags, UsageFlags } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { counted, oneLine, renderTable } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { openConfiguredStore } from './open-configured-store.ts';

export async function listUsage({ json, ...flags }: ListUsageFlags, context: CommandContext): Promise<void> {
  const rows = await withUses(flags, context, (uses) => uses.summarise(scopeOf(flags)));
  if (json === true) {
    await write(context.io.stdout, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return;
  }
  const columns = ['key', 'catalog', 'tool', 'calls', 'last'].map((title) => ({ title }));
  const lines = rows.map(({ owner, catalog, tool, calls, lastAtMs }) => [
    owner === '' ? 'none' : oneLine(owner, MOST_CHARACTERS),
    catalog === '' ? 'in requests' : oneLine(catalog, MOST_CHARACTERS),
    oneLine(tool, MOST_CHARACTERS),
    String(calls),
    new Date(lastAtMs).toISOString(),
  ]);
  await print(context.io, lines.length === 0 ? NOTHING : renderTable(columns, lines));
}

/** One line per use: the key, the tool, the time, and the vector of the request as base64 bytes. */
export async function exportUsage(flags: UsageFlags, context: CommandContext): Promise<void> {
  await withUses(flags, context, async (uses) => {
    const scopes = new Map<string, UseScope>();
    for (const { owner, catalog } of await uses.summarise(scopeOf(flags))) {
      scopes.set(JSON.stringify([owner, catalog]), { owner, catalog });
    }
    for (const scope of scopes.values()) {
      const lines = (await uses.list(scope)).map(({ tool, atMs, vector }) => {
        const bytes = vector === undefined ? undefined : Buffer.from(vector.buffer).toString('base64');
        return `${JSON.stringify({ ...scope, tool, usedAt: new Date(atMs).toISOString(), ...defined({ vector: bytes }) })}\n`;
      });
      await write(context.io.stdout, lines.join(''));
    }
  });
}

export async function forgetUsage(flags: ForgetUsageFlags, context: CommandContext): Promise<void> {
  const { tool, all, ...place } = flags;
  const which = { ...scopeOf(place), ...defined({ tool }) };
  const isNarrowed = Object.keys(which).length > 0;
  if (all === true ? isNarrowed : !isNarrowed)
    throw new InputError('Choose what to forget: --key, --catalog or --tool, or --all for everything');
  const count = await withUses(place, context, (uses) => uses.forget(which));
  await write(context.io.stderr, count === 0 ? `${NOTHING}\n` : `Deleted ${counted(count, 'entry', 'entries')}\n`);
  if (count === 0) context.exit(EXIT.nothingFound);
}

function scopeOf({ key, catalog }: UsageFlags): Partial<UseScope> {
  return defined({ owner: key, catalog });
}

async function withUses<Value>(
  { config, store: given }: UsageFlags,
  { io }: CommandContext,
  use: (uses: LearnedUseStore) => Promise<Value>,
): Promise<Value> {
  const store = await openConfiguredStore(loadSettings(defined({ config, store: given }), io.env).config.store);
  try {
    return await use(store.learnedUses);
  } finally {
    await store.close();
  }
}

const NOTHING = 'Nothing was learned that matches.';
const MOST_CHARACTERS = 60;
