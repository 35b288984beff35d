import { defined } from '@quartermaster/core/internal';
import type { Config } from '@quartermaster/host/config';
import {
  type ApiKey,
  KEY_ENDPOINTS,
  type KeyChange,
  type KeyLimits,
  type KeyStore,
  type NewApiKey,
  normalizeKeyName,
} from '@quartermaster/host/store';
import { note, print, write } from '../../command-io.ts';
import type {
  CommandContext,
  CreateKeyFlags,
  ListKeysFlags,
  RightsFlags,
  RotateKeyFlags,
  UpdateKeyFlags,
} from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { oneLine, renderTable } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { describeStore, openConfiguredStore } from './open-configured-store.ts';

type StoreFlags = Pick<ListKeysFlags, 'config' | 'store'>;

/** Creates a key. Stdout has its secret and nothing else, for scripts. */
export async function createKey(given: string, flags: CreateKeyFlags, context: CommandContext): Promise<void> {
  const { store, keys: configured } = settingsOf(flags, context);
  const { location } = store;
  if ('path' in location && location.path === ':memory:') {
    throw new InputError(
      'A key in :memory: is lost when this command ends; name a file or a postgres:// address with --store',
    );
  }
  const name = normalizeKeyName(given);
  if (configured.some((key) => normalizeKeyName(key.name) === name)) {
    throw new InputError(`The settings already define a key named ${JSON.stringify(name)}; choose another name`);
  }
  const { models = ['*'], catalogs = ['*'], writes } = flags;
  const permissions = {
    ...{ models, catalogs, limits: limitsOf({}, flags), role: flags.role ?? ('consumer' as const) },
    ...rightsOf(flags),
    ...defined({ writes }),
  };
  const { key, secret } = await withKeys(flags, context, (keys) => keys.create({ name: given, ...permissions }));
  await note(
    context.io,
    `Created ${key.id} for the gateway that uses this store: ${describeStore(store)}\nThe secret is shown only now and is not stored.`,
  );
  await print(context.io, secret);
}

export async function listKeys({ json, ...place }: ListKeysFlags, context: CommandContext): Promise<void> {
  const keys = await withKeys(place, context, (store) => store.list());
  if (json === true) {
    await write(context.io.stdout, keys.map((key) => `${JSON.stringify(key)}\n`).join(''));
    return;
  }
  const columns = [
    'id',
    'name',
    'role',
    'created',
    'last used',
    'models',
    'catalogs',
    'tools',
    'endpoints',
    'limits',
    '',
  ].map((title) => ({ title }));
  const text = keys.length === 0 ? 'There are no keys in the store.' : renderTable(columns, keys.map(rowOf));
  await print(context.io, text);
}

export async function updateKey(id: string, flags: UpdateKeyFlags, context: CommandContext): Promise<void> {
  const { models, catalogs, writes, allTools, allEndpoints, expiry } = flags;
  const role = flags.role;
  const change: KeyChange = {
    ...defined({ models, catalogs, role, writes: writes === false ? [] : writes }),
    ...rightsOf(flags),
    ...(allTools ? { tools: null } : {}),
    ...(allEndpoints ? { endpoints: null } : {}),
    ...(expiry ? {} : { expiresAt: null }),
  };
  const hasLimits = LIMITS.some((name) => flags[name] !== undefined);
  if (Object.keys(change).length === 0 && !hasLimits) {
    throw new InputError('Nothing to change: add --role, --models, --catalogs, --expires-in or another option');
  }
  const key = await withKeys(flags, context, async (keys) => {
    const { limits = {}, tools } = (await keys.get(id)) ?? {};
    // A rule that is not given stays as it is.
    const kept = change.tools == null ? {} : { tools: { ...tools, ...change.tools } };
    return keys.update(id, { ...change, ...kept, ...(hasLimits ? { limits: limitsOf(limits, flags) } : {}) });
  });
  if (key === undefined) return sayUnknown(id, context);
  await note(context.io, `Changed ${oneLine(id, MOST_CHARACTERS)}`);
}

const LIMITS: readonly (keyof KeyLimits)[] = [
  'requestsPerMinute',
  'tokensPerMinute',
  'searchesPerMinute',
  'tokensPerDay',
  'tokensPerMonth',
];

/** The limits of a key, with those that the flags name replaced. */
function limitsOf(limits: KeyLimits, flags: Readonly<Partial<Record<keyof KeyLimits, number | 'none'>>>): KeyLimits {
  const entries = LIMITS.map((name) => [name, flags[name] ?? limits[name]] as const);
  return Object.fromEntries(entries.filter(([, limit]) => typeof limit === 'number'));
}

function rightsOf({
  allow,
  deny,
  endpoints,
  expiresIn,
}: RightsFlags): Pick<NewApiKey, 'tools' | 'endpoints' | 'expiresAt'> {
  return {
    ...(allow === undefined && deny === undefined ? {} : { tools: { ...defined({ allow, deny }) } }),
    ...(endpoints === undefined ? {} : { endpoints: endpoints.map(readEndpoint) }),
    ...(expiresIn === undefined ? {} : { expiresAt: Date.now() + expiresIn }),
  };
}

/** Like `createKey`: stdout has the new secret and nothing else. */
export async function rotateKey(id: string, flags: RotateKeyFlags, context: CommandContext): Promise<void> {
  const { overlap, ...place } = flags;
  const rotated = await withKeys(place, context, (keys) => keys.rotate(id, overlap));
  if (rotated === undefined) return sayUnknown(id, context);
  const until = new Date(Date.now() + overlap).toISOString();
  await note(context.io, `Rotated ${rotated.key.id}. The previous secret works until ${until}.`);
  await print(context.io, rotated.secret);
}

async function sayUnknown(id: string, context: CommandContext): Promise<void> {
  await note(context.io, `There is no key ${oneLine(id, MOST_CHARACTERS)}, or it is already revoked.`);
  context.exit(EXIT.nothingFound);
}

function readEndpoint(text: string): string {
  if (KEY_ENDPOINTS.includes(text)) return text;
  throw new InputError(`There is no endpoint ${oneLine(text, MOST_CHARACTERS)}; allowed: ${KEY_ENDPOINTS.join(', ')}`);
}

export async function revokeKey(id: string, place: StoreFlags, context: CommandContext): Promise<void> {
  const isRevoked = await withKeys(place, context, (keys) => keys.revoke(id));
  if (isRevoked) {
    await note(context.io, `Revoked ${oneLine(id, MOST_CHARACTERS)}`);
    return;
  }
  await sayUnknown(id, context);
}

function settingsOf({ config, store }: StoreFlags, { io }: CommandContext): Config {
  return loadSettings(defined({ config, store }), io.env).config;
}

async function withKeys<Value>(
  flags: StoreFlags,
  context: CommandContext,
  work: (keys: KeyStore) => Promise<Value>,
): Promise<Value> {
  const store = await openConfiguredStore(settingsOf(flags, context).store);
  try {
    return await work(store.keys);
  } finally {
    await store.close();
  }
}

function rowOf(key: ApiKey): readonly string[] {
  const {
    id,
    name,
    role = 'consumer',
    createdAt,
    lastUsedAt,
    models,
    catalogs,
    writes,
    tools,
    endpoints,
    limits,
  } = key;
  const { requestsPerMinute, tokensPerMinute, searchesPerMinute, tokensPerDay, tokensPerMonth } = limits;
  const rates = [
    ...(requestsPerMinute === undefined ? [] : [`${count(requestsPerMinute)} requests/min`]),
    ...(tokensPerMinute === undefined ? [] : [`${count(tokensPerMinute)} tokens/min`]),
    ...(searchesPerMinute === undefined ? [] : [`${count(searchesPerMinute)} searches/min`]),
    ...(tokensPerDay === undefined ? [] : [`${count(tokensPerDay)} tokens/day`]),
    ...(tokensPerMonth === undefined ? [] : [`${count(tokensPerMonth)} tokens/month`]),
  ];
  return [
    id,
    oneLine(name, MOST_CHARACTERS),
    role,
    dayOf(createdAt),
    lastUsedAt === undefined ? 'never' : dayOf(lastUsedAt),
    oneLine(models.join(' '), MOST_CHARACTERS),
    oneLine(catalogs.join(' ') + (writes === undefined ? '' : `, changes ${writes.join(' ')}`), MOST_CHARACTERS),
    oneLine([...(tools?.allow ?? ['*']), ...(tools?.deny ?? []).map((one) => `not ${one}`)].join(' '), MOST_CHARACTERS),
    oneLine(endpoints?.join(' ') ?? '*', MOST_CHARACTERS),
    rates.join(', ') || 'none',
    endOf(key),
  ];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function endOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== undefined) return `revoked ${dayOf(revokedAt)}`;
  if (expiresAt === undefined) return '';
  return `${expiresAt <= Date.now() ? 'expired' : 'expires'} ${dayOf(expiresAt)}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const MOST_CHARACTERS = 60;
