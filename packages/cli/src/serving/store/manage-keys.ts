import { defined } from '@quartermaster/core/internal';
import {
  type ApiKey,
  KEY_ENDPOINTS,
  type KeyChange,
  type KeyLimits,
  type KeyRole,
  type NewApiKey,
  normalizeKeyName,
} from '@quartermaster/host/store';
import { note, print } from '../../command-io.ts';
import type { CommandContext, JsonFlag, SettingsFlags } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { count, oneLine, printRows } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { describeStore, withNamedStore } from './open-configured-store.ts';

/** What a key may use and change. */
interface RightsFlags extends SettingsFlags {
  readonly models?: readonly string[];
  readonly catalogs?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly role?: KeyRole;
  readonly endpoints?: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
}

interface CreateKeyFlags extends RightsFlags, KeyLimits {
  readonly writes?: readonly string[];
}

/** Fields that are missing stay as they are. */
interface UpdateKeyFlags extends RightsFlags, Readonly<Partial<Record<keyof KeyLimits, number | 'none'>>> {
  readonly writes?: readonly string[] | false;
  readonly allTools?: true;
  readonly allEndpoints?: true;
  /** False if it should never expire. */
  readonly expiry: boolean;
}

interface RotateKeyFlags extends SettingsFlags {
  /** Milliseconds. */
  readonly overlap: number;
}

/** Creates a key. Stdout has its secret and nothing else, for scripts. */
export async function createKey(given: string, flags: CreateKeyFlags, context: CommandContext): Promise<void> {
  const { store, keys: configured } = loadSettings(flags, context.io.env).config;
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
  const { key, secret } = await withNamedStore(flags, context, ({ keys }) =>
    keys.create({ name: given, ...permissions }),
  );
  await note(
    context.io,
    `Created ${key.id} for the gateway that uses this store: ${describeStore(store)}\nThe secret is shown only now and is not stored.`,
  );
  await print(context.io, secret);
}

export async function listKeys(flags: SettingsFlags & JsonFlag, context: CommandContext): Promise<void> {
  await printRows(context.io, {
    rows: await withNamedStore(flags, context, ({ keys }) => keys.list()),
    isJson: flags.json === true,
    columns: Object.keys(CELLS),
    cellsOf: (key) => Object.values(CELLS).map((cellOf) => cellOf(key)),
    none: 'There are no keys in the store.',
  });
}

export async function updateKey(id: string, flags: UpdateKeyFlags, context: CommandContext): Promise<void> {
  const { models, catalogs, role, writes, allTools, allEndpoints, expiry } = flags;
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
  const key = await withNamedStore(flags, context, async ({ keys }) => {
    const { limits = {}, tools } = (await keys.get(id)) ?? {};
    // A rule that is not given stays as it is.
    const kept = change.tools == null ? {} : { tools: { ...tools, ...change.tools } };
    return keys.update(id, { ...change, ...kept, ...(hasLimits ? { limits: limitsOf(limits, flags) } : {}) });
  });
  if (key === undefined) return sayUnknown(id, context);
  await note(context.io, `Changed ${oneLine(id, MOST_CHARACTERS)}`);
}

/** All limits, with their units in the order of the list. */
const UNITS: Readonly<Record<keyof KeyLimits, string>> = {
  requestsPerMinute: 'requests/min',
  tokensPerMinute: 'tokens/min',
  searchesPerMinute: 'searches/min',
  tokensPerDay: 'tokens/day',
  tokensPerMonth: 'tokens/month',
};
const LIMITS = Object.keys(UNITS) as (keyof KeyLimits)[];

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
  const { overlap } = flags;
  const rotated = await withNamedStore(flags, context, ({ keys }) => keys.rotate(id, overlap));
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

export async function revokeKey(id: string, flags: SettingsFlags, context: CommandContext): Promise<void> {
  const isRevoked = await withNamedStore(flags, context, ({ keys }) => keys.revoke(id));
  if (!isRevoked) return sayUnknown(id, context);
  await note(context.io, `Revoked ${oneLine(id, MOST_CHARACTERS)}`);
}

/** The columns of the list. */
const CELLS: Readonly<Record<string, (key: ApiKey) => string>> = {
  id: ({ id }) => id,
  name: ({ name }) => oneLine(name, MOST_CHARACTERS),
  role: ({ role = 'consumer' }) => role,
  created: ({ createdAt }) => dayOf(createdAt),
  'last used': ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : dayOf(lastUsedAt)),
  models: ({ models }) => oneLine(models.join(' '), MOST_CHARACTERS),
  catalogs: ({ catalogs, writes }) =>
    oneLine(catalogs.join(' ') + (writes === undefined ? '' : `, changes ${writes.join(' ')}`), MOST_CHARACTERS),
  tools: ({ tools: { allow = ['*'], deny = [] } = {} }) =>
    oneLine([...allow, ...deny.map((one) => `not ${one}`)].join(' '), MOST_CHARACTERS),
  endpoints: ({ endpoints }) => oneLine(endpoints?.join(' ') ?? '*', MOST_CHARACTERS),
  limits: ({ limits }) =>
    LIMITS.flatMap((name) => (limits[name] === undefined ? [] : [`${count(limits[name])} ${UNITS[name]}`])).join(
      ', ',
    ) || 'none',
  '': endOf,
};

function endOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== undefined) return `revoked ${dayOf(revokedAt)}`;
  if (expiresAt === undefined) return '';
  return `${expiresAt <= Date.now() ? 'expired' : 'expires'} ${dayOf(expiresAt)}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const MOST_CHARACTERS = 60;
