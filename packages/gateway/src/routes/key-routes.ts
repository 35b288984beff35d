import { defined } from '@quartermaster/core/internal';
import type { ConfiguredKey } from '@quartermaster/host/config';
import {
  type ApiKey,
  type KeyChange,
  type KeyPermissions,
  type KeyStore,
  normalizeKeyName,
} from '@quartermaster/host/store';
import { type Access, configuredOwner, isUnlimitedAdmin } from '../access/index.ts';
import { type Api, existing, type JsonHandler, jsonRoutes, needing, type RoutedRequest } from '../api/index.ts';
import {
  KEY_ANSWER,
  KEY_CHANGE_BODY,
  KEYS_ANSWER,
  NEW_KEY_BODY,
  ROTATE_BODY,
  SECRET_ANSWER,
} from '../api/management-schemas.ts';
import { ApiError } from '../http/index.ts';
import { readTime } from './read-query.ts';
import type { Services } from './services.ts';

/** API keys: permissions, limits and use. A secret is shown once, when it is created. */
export function mountKeyRoutes(api: Api, { runner, store, clock, gatekeeper, configuredKeys }: Services): void {
  const routes = jsonRoutes(api, runner, 'keys');
  const stored = needing(({ access }) => {
    checkManager(access);
    return store?.keys;
  }, 'This gateway has no store, so it has no keys of its own');
  const managed = (handler: (request: RoutedRequest, keys: KeyStore) => Promise<object>): JsonHandler =>
    stored(async (request, keys) => {
      const answer = await handler(request, keys);
      gatekeeper.forgetKeys();
      return answer;
    });
  const show = async (key: ApiKey): Promise<object> => ({
    ...writeKey(key, clock.now()),
    used: await gatekeeper.usedOf(key.id, key.limits),
  });
  const showConfigured = async (key: ConfiguredKey): Promise<object> => ({
    ...writeConfigured(key),
    used: await gatekeeper.usedOf(configuredOwner(key), key.limits),
  });

  routes.get(
    '/v1/keys',
    {
      summary:
        'API keys with their permissions and limits, but not their secrets. An admin key without restrictions sees all keys, any other key only itself.',
      answer: KEYS_ANSWER,
    },
    async ({ access }) => {
      const maySee = (id: string): boolean => access.isUnlimited || access.owner === id;
      const stored = ((await store?.keys.list()) ?? []).filter(({ id }) => maySee(id));
      const configured = configuredKeys.filter((key) => maySee(configuredOwner(key)));
      const data = await Promise.all([...configured.map(showConfigured), ...stored.map(show)]);
      return { data, may_manage: access.isUnlimited && store !== undefined };
    },
  );
  routes.post(
    '/v1/keys',
    {
      summary: 'Creates a key, and shows its secret once. Requires an admin key without restrictions.',
      body: NEW_KEY_BODY,
      answer: SECRET_ANSWER,
    },
    managed(async ({ access, readBody }, keys) => {
      const { expires_at: expiry, ...asked } = await readBody<WrittenKey>();
      const expiresAt = expiry === undefined ? undefined : readExpiry(expiry, clock.now());
      const rights = { models: ['*'], catalogs: ['*'], limits: {}, ...asked };
      checkFirst(access, rights);
      const name = normalizeKeyName(asked.name);
      if (configuredKeys.some((key) => normalizeKeyName(key.name) === name)) {
        throw new ApiError(
          400,
          `name: the settings already define a key named ${JSON.stringify(name)}; choose another`,
        );
      }
      const { key, secret } = await keys.create({ ...rights, ...defined({ expiresAt }) }, access.owner);
      return { key: await show(key), secret };
    }),
  );
  routes.patch(
    '/v1/keys/:id',
    {
      summary: 'Changes permissions, limits or expiry of a key. Fields that are left out do not change.',
      body: KEY_CHANGE_BODY,
      answer: KEY_ANSWER,
    },
    managed(async ({ access, param, readBody }, keys) => {
      const { expires_at: expiry, ...change } = await readBody<WrittenChange>();
      const expiresAt = typeof expiry === 'string' ? readExpiry(expiry, clock.now()) : expiry;
      const id = param('id');
      return show(existing(await keys.update(id, { ...change, ...defined({ expiresAt }) }, access.owner), unknown));
    }),
  );
  routes.post(
    '/v1/keys/:id/rotate',
    {
      summary: 'Gives a key a new secret. Earlier secrets stop working after the overlap, at the latest.',
      body: ROTATE_BODY,
      answer: SECRET_ANSWER,
    },
    managed(async ({ access, param, readBody }, keys) => {
      const body = await readBody<{ readonly overlap_seconds?: number }>();
      const overlapMs = (body.overlap_seconds ?? 0) * 1_000;
      const { key, secret } = existing(await keys.rotate(param('id'), overlapMs, access.owner), unknown);
      return { key: await show(key), secret };
    }),
  );
  routes.delete(
    '/v1/keys/:id',
    { summary: 'Revokes a key.', answer: KEY_ANSWER },
    managed(async ({ access, param }, keys) => {
      const id = param('id');
      if (!(await keys.revoke(id, access.owner))) throw unknown();
      return show(existing(await keys.get(id), unknown));
    }),
  );
}

interface WrittenKey extends Partial<KeyPermissions> {
  readonly name: string;
  readonly expires_at?: string;
}

interface WrittenChange extends Omit<KeyChange, 'expiresAt'> {
  readonly expires_at?: string | null;
}

function checkManager({ isUnlimited }: Access): void {
  if (isUnlimited) return;
  throw new ApiError(
    403,
    'Keys are managed by admin keys that may use every model, catalog, tool and endpoint; this one may not',
  );
}

/** Creating the first key locks out everyone without one, so that key must be able to create the next one. */
function checkFirst({ owner }: Access, rights: KeyPermissions): void {
  if (owner !== '' || isUnlimitedAdmin(rights)) return;
  throw new ApiError(
    400,
    'role: the first key closes the gateway to requests without one, so it has to be an admin key for all models, catalogs, tools and endpoints; create that one first ("role": "admin"), and this one with it',
  );
}

function readExpiry(text: string, now: number): number {
  const time = readTime('expires_at', text);
  if (time <= now) throw new ApiError(400, 'expires_at: should be in the future');
  return time;
}

function unknown(): ApiError {
  return new ApiError(404, 'There is no key of this id in the store, or it was revoked');
}

function writeKey(key: ApiKey, now: number): object {
  const { id, name, createdAt, expiresAt, lastUsedAt, revokedAt } = key;
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  return {
    ...{ id, name, source: 'store' },
    state: revokedAt !== undefined ? 'revoked' : isExpired ? 'expired' : 'active',
    ...rightsOf(key),
    created_at: timeOf(createdAt),
    ...defined({ expires_at: timeOf(expiresAt), last_used_at: timeOf(lastUsedAt), revoked_at: timeOf(revokedAt) }),
  };
}

function writeConfigured(key: ConfiguredKey): object {
  return { id: configuredOwner(key), name: key.name, source: 'settings', state: 'active', ...rightsOf(key) };
}

function rightsOf({ models, catalogs, writes, limits, role = 'consumer', endpoints, tools }: KeyPermissions): object {
  return { models, catalogs, limits, role, ...defined({ writes, endpoints, tools }) };
}

function timeOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
