import { defined } from '@quartermaster/core/internal';
import type { UseScope } from '@quartermaster/host/store';
import { note, write } from '../../command-io.ts';
import type { CommandContext, JsonFlag, SettingsFlags } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { counted, oneLine, printRows } from '../../terminal/index.ts';
import { withNamedStore } from './open-configured-store.ts';

interface UsageFlags extends SettingsFlags {
  /** The id of an API key. @default all */
  readonly key?: string;
  readonly catalog?: string;
}

interface ForgetUsageFlags extends UsageFlags {
  readonly tool?: string;
  readonly all?: true;
}

export async function listUsage(flags: UsageFlags & JsonFlag, context: CommandContext): Promise<void> {
  await printRows(context.io, {
    rows: await withNamedStore(flags, context, ({ learnedUses: uses }) => uses.summarise(scopeOf(flags))),
    isJson: flags.json === true,
    columns: ['key', 'catalog', 'tool', 'calls', 'last'],
    cellsOf: ({ owner, catalog, tool, calls, lastAtMs }) => [
      owner === '' ? 'none' : oneLine(owner, MOST_CHARACTERS),
      catalog === '' ? 'in requests' : oneLine(catalog, MOST_CHARACTERS),
      oneLine(tool, MOST_CHARACTERS),
      String(calls),
      new Date(lastAtMs).toISOString(),
    ],
    none: NOTHING,
  });
}

/** One line per use: the key, the tool, the time, and the vector of the request as base64 bytes. */
export async function exportUsage(flags: UsageFlags, context: CommandContext): Promise<void> {
  await withNamedStore(flags, context, async ({ learnedUses: uses }) => {
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
  const { tool, all } = flags;
  const which = { ...scopeOf(flags), ...defined({ tool }) };
  const isNarrowed = Object.keys(which).length > 0;
  if (all === true ? isNarrowed : !isNarrowed)
    throw new InputError('Choose what to forget: --key, --catalog or --tool, or --all for everything');
  const count = await withNamedStore(flags, context, ({ learnedUses: uses }) => uses.forget(which));
  await note(context.io, count === 0 ? NOTHING : `Deleted ${counted(count, 'entry', 'entries')}`);
  if (count === 0) context.exit(EXIT.nothingFound);
}

function scopeOf({ key, catalog }: UsageFlags): Partial<UseScope> {
  return defined({ owner: key, catalog });
}

const NOTHING = 'Nothing was learned that matches.';
const MOST_CHARACTERS = 60;
