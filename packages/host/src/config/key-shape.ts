import { hashApiKey, KEY_ENDPOINTS, KEY_ROLES } from '../store/index.ts';
import type { ConfiguredKey } from './config.ts';
import { choice, text, whole } from './scalar-shapes.ts';
import { isGiven, listOf, object, type Shape, where } from './shape.ts';
import { showValue } from './show-value.ts';

const MOST = Number.MAX_SAFE_INTEGER;

const KEY_BLOCK = object(
  {
    name: { about: 'A name for people to read.', shape: text() },
    key: {
      about: `The secret that clients send. Write \${NAME} to read it from the environment.`,
      shape: text({ isSecret: true }),
    },
    hash: {
      about: "Instead of key: the secret's SHA-256 in hexadecimal.",
      shape: text({ isSecret: true, pattern: /^[0-9a-fA-F]{64}$/, allowed: '64 hexadecimal digits' }),
    },
    models: { about: 'Models that it may use.', shape: listOf(text()), default: ['*'] },
    catalogs: { about: 'Named catalogs that it may use.', shape: listOf(text()), default: ['*'] },
    writes: {
      about: 'Catalogs of other keys that it may also change, but not delete: patterns within catalogs.',
      shape: listOf(text()),
    },
    tools: {
      about: 'Tools of MCP servers that it may use. Defaults to those of its catalogs.',
      shape: object({
        allow: { about: 'Patterns: github/*, */read_*.', shape: listOf(text()) },
        deny: { about: 'Patterns; overrides allow.', shape: listOf(text()) },
      }),
    },
    role: {
      about:
        'Which catalogs it may change. consumer: none. publisher: its own. admin: all that it may use. An admin key that nothing ' +
        'limits also manages keys and sees what all keys do.',
      shape: choice(KEY_ROLES),
      default: 'consumer',
    },
    endpoints: { about: 'Endpoints that it may use. Defaults to all.', shape: listOf(choice(KEY_ENDPOINTS)) },
    limits: {
      about: 'How much it may use. Missing limits mean no limit.',
      shape: object({
        requestsPerMinute: { about: 'Requests per minute.', shape: whole({ min: 0, max: MOST }) },
        tokensPerMinute: { about: 'Tokens per minute.', shape: whole({ min: 0, max: MOST }) },
        searchesPerMinute: {
          about:
            'Searches per minute. A model that searches more often gets an error, and continues with the tools it has.',
          shape: whole({ min: 0, max: MOST }),
        },
        tokensPerDay: { about: 'Tokens per day, in UTC.', shape: whole({ min: 0, max: MOST }) },
        tokensPerMonth: { about: 'Tokens per calendar month, in UTC.', shape: whole({ min: 0, max: MOST }) },
      }),
      default: {},
    },
  },
  { required: ['name'] },
);

/** An entry of `keys`, with its secret in clear text or as a hash. */
const KEY: Shape<ConfiguredKey> = {
  schema: { ...KEY_BLOCK.schema, oneOf: [{ required: ['key'] }, { required: ['hash'] }] },
  read(value, place) {
    const read = KEY_BLOCK.read(value, place);
    if (read === undefined) return undefined;
    const { name, key, hash, ...permissions } = read;
    const given = ['key', 'hash'].filter((field) => isGiven(value, field));
    if (given.length !== 1) {
      place.report(
        place.path,
        `${where(place.path)} has ${given.length === 0 ? 'neither key nor hash' : 'both key and hash'}: give one of them`,
      );
    }
    const digest = key === undefined ? hash?.toLowerCase() : hashApiKey(key);
    if (name === undefined || digest === undefined) return undefined;
    return { name, hash: digest, ...permissions };
  },
};

/** The `keys`, each with a unique name and secret: if two keys shared a secret, it would not be clear which permissions apply. */
export const KEYS: Shape<readonly ConfiguredKey[]> = {
  schema: listOf(KEY).schema,
  read(value, place) {
    const owners = new Map<string, string>();
    const names = new Set<string>();
    const own: Shape<ConfiguredKey> = {
      schema: KEY.schema,
      read(entry, at) {
        const key = KEY.read(entry, at);
        if (key === undefined) return undefined;
        const owner = `${where(at.path)} (${showValue(key.name)})`;
        const other = owners.get(key.hash);
        const secret = [...at.path, isGiven(entry, 'key') ? 'key' : 'hash'];
        if (other !== undefined) at.report(secret, `${owner} has the same secret as ${other}: give each its own`);
        else owners.set(key.hash, owner);
        if (names.has(key.name))
          at.report([...at.path, 'name'], `${owner} has the name of another key: give each its own`);
        names.add(key.name);
        return key;
      },
    };
    return listOf(own).read(value, place);
  },
};
