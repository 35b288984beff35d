import type { ApiKey, KeyLimits, KeyStore } from '@quartermaster/host/store';
import { write } from '../command-io.ts';
import type { CommandContext, CreateKeyFlags, ListKeysFlags } from '../commands/index.ts';
import { EXIT } from '../exit-code.ts';
import { InputError } from '../input-error.ts';
import { oneLine, renderTable } from '../terminal/index.ts';
import { loadSettings } from './load-settings.ts';
import { openConfiguredStore } from './open-configured-store.ts';

type StoreFlags = Pick<ListKeysFlags, 'config' | 'store'>;

/** Makes a key. Stdout is its secret and nothing else, so that a script can take it from there. */
export async function createKey(name: string, flags: CreateKeyFlags, context: CommandContext): Promise<void> {
  const { models = ['*'], catalogs = ['*'], allow, deny, requestsPerMinute, tokensPerMinute, ...place } = flags;
  const limits: KeyLimits = {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
  };
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  const permissions = { models, catalogs, limits, ...(Object.keys(tools).length === 0 ? {} : { tools }) };
  const { location } = loadSettings(place, context.io.env).config.store;
  if ('path' in location && location.path === ':memory:') {
    throw new InputError(
      'A key in :memory: is gone with this command; name a file or a postgres:// address with --store',
    );
  }
  const { key, secret } = await withKeys(place, context, (keys) => keys.create({ name, ...permissions }));
  await write(
    context.io.stderr,
    `Created ${key.id}. Its secret is not kept: this is the only time that it is shown.\n`,
  );
  await write(context.io.stdout, `${secret}\n`);
}

export async function listKeys({ json, ...place }: ListKeysFlags, context: CommandContext): Promise<void> {
  const keys = await withKeys(place, context, (store) => store.list());
  if (json === true) {
    await write(context.io.stdout, keys.map((key) => `${JSON.stringify(key)}\n`).join(''));
    return;
  }
  const columns = ['id', 'name', 'created', 'models', 'catalogs', 'tools', 'limits', ''].map((title) => ({ title }));
  const text = keys.length === 0 ? 'There are no keys in the store.' : renderTable(columns, keys.map(rowOf));
  await write(context.io.stdout, `${text}\n`);
}

export async function revokeKey(id: string, place: StoreFlags, context: CommandContext): Promise<void> {
  const isRevoked = await withKeys(place, context, (keys) => keys.revoke(id));
  if (isRevoked) {
    await write(context.io.stderr, `Revoked ${oneLine(id, MOST_CHARACTERS)}\n`);
    return;
  }
  await write(context.io.stderr, `There is no key ${oneLine(id, MOST_CHARACTERS)}, or it was revoked before.\n`);
  context.exit(EXIT.nothingFound);
}

async function withKeys<Value>(
  flags: StoreFlags,
  { io }: CommandContext,
  work: (keys: KeyStore) => Promise<Value>,
): Promise<Value> {
  const { config } = loadSettings(flags, io.env);
  const store = await openConfiguredStore(config.store);
  try {
    return await work(store.keys);
  } finally {
    await store.close();
  }
}

function rowOf({ id, name, createdAt, models, catalogs, tools, limits, revokedAt }: ApiKey): readonly string[] {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const rates = [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests/min`]),
    ...(tokensPerMinute === undefined ? [] : [`${tokensPerMinute} tokens/min`]),
  ];
  return [
    id,
    oneLine(name, MOST_CHARACTERS),
    dayOf(createdAt),
    oneLine(models.join(' '), MOST_CHARACTERS),
    oneLine(catalogs.join(' '), MOST_CHARACTERS),
    oneLine([...(tools?.allow ?? ['*']), ...(tools?.deny ?? []).map((one) => `not ${one}`)].join(' '), MOST_CHARACTERS),
    rates.join(', ') || 'none',
    revokedAt === undefined ? '' : `revoked ${dayOf(revokedAt)}`,
  ];
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const MOST_CHARACTERS = 60;
