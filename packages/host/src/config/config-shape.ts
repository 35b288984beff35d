import {
  type GateSettings,
  isJsonObject,
  type JsonObject,
  POLICIES,
  type Policy,
  readHermesToolSearch,
  SettingError,
} from '@quartermaster/core';
import { hashApiKey, readEncryptionKey, StoreError } from '../store/index.ts';
import {
  type ConfiguredKey,
  type LimitSettings,
  type ListenSettings,
  type McpServerSettings,
  type McpSettings,
  type SearchSettings,
  UPSTREAM_PROVIDERS,
  type UpstreamSettings,
} from './config.ts';
import { MCP_SERVER } from './mcp-server-shape.ts';
import { choice, flag, number, passedOn, text, webAddress, whole } from './scalar-shapes.ts';
import { listOf, object, record, type Shape, where, wrong } from './shape.ts';

/** The document as it is read, before its paths are resolved and its other files are added. */
export interface ConfigDocument {
  readonly listen: ListenSettings;
  readonly store: { readonly path: string; readonly url?: string; readonly encryptionKey?: readonly Uint8Array[] };
  readonly upstreams: readonly UpstreamSettings[];
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  readonly mcpConfig: readonly string[];
  readonly mcp: McpSettings;
  readonly tools: {
    readonly tool_search: GateSettings;
    readonly pins: readonly string[];
    readonly policies: Readonly<Record<string, Policy>>;
  };
  readonly search: SearchSettings;
  readonly deferral: 'as-requested' | 'auto';
  readonly errorCodes: 'typed' | 'documented';
  readonly strict: boolean;
  readonly keys: readonly ConfiguredKey[];
  readonly limits: LimitSettings;
}

const MEBIBYTE = 1024 * 1024;
const MOST = Number.MAX_SAFE_INTEGER;

const LISTEN = object({
  host: {
    about: 'The address to listen on. Without keys only loopback addresses are taken.',
    shape: text(),
    default: '127.0.0.1',
  },
  port: { about: 'The port; 0 takes a free one.', shape: whole({ min: 0, max: 65_535 }), default: 8787 },
  publicUrl: {
    about: "Where clients reach it, for addresses in answers. The request's own address when missing.",
    shape: webAddress(),
  },
});

const SECRET = text({ isSecret: true });

const STORE = object({
  path: {
    about: "The SQLite file, relative to this file's folder.",
    shape: text(),
    default: '.quartermaster/store.db',
  },
  url: {
    about: 'A PostgreSQL address; stronger than path.',
    shape: text({
      isSecret: true,
      pattern: /^postgres(?:ql)?:\/\//,
      allowed: 'an address that begins with postgres://',
    }),
  },
  encryptionKey: {
    about:
      'What tokens are encrypted with: 32 bytes in base64 (openssl rand -base64 32). In a list, the first one encrypts and all decrypt.',
    shape: oneOrMore(encryptionKey()),
  },
});

const UPSTREAM_BLOCK = object(
  {
    models: { about: 'Names of models that it serves, * standing for any text.', shape: listOf(text()) },
    provider: { about: 'Who stands behind it, and so which protocol is spoken.', shape: choice(UPSTREAM_PROVIDERS) },
    baseUrl: { about: "Its address, when it is not the provider's own.", shape: webAddress() },
    apiKey: { about: `Its key. Write \${NAME} to take it from the environment.`, shape: SECRET },
    contextTokens: { about: "The models' context window.", shape: whole({ min: 1, max: 1_000_000_000 }) },
    references: { about: 'Whether the host expands tool_reference blocks.', shape: flag() },
    toolSearch: {
      about: 'Who searches: we (local), or the host (upstream).',
      shape: choice(['local', 'upstream']),
      default: 'local',
    },
    mcpConnector: {
      about:
        'Who connects to the mcp_servers of a request: we (local), or the host (upstream). As toolSearch when missing.',
      shape: choice(['local', 'upstream']),
    },
    headers: { about: "Headers sent with every request; a client's can't replace them.", shape: record(passedOn()) },
    forwardsAuthorization: {
      about: "Whether the client's own credential goes upstream where apiKey is not set.",
      shape: flag(),
    },
  },
  { required: ['models', 'provider'] },
);

const UPSTREAM: Shape<UpstreamSettings> = {
  schema: UPSTREAM_BLOCK.schema,
  read(value, place) {
    const { models, provider, toolSearch, ...rest } = UPSTREAM_BLOCK.read(value, place) ?? {};
    if (models === undefined || provider === undefined || toolSearch === undefined) return undefined;
    if (models.length === 0) {
      place.report(
        [...place.path, 'models'],
        `${where([...place.path, 'models'])} names no model; ["*"] stands for all`,
      );
    }
    // One that is given but wrong has been told of already.
    const hasAddress = isJsonObject(value) && Object.hasOwn(value, 'baseUrl');
    if (provider === 'openai-compatible' && !hasAddress) {
      place.report(
        place.path,
        `${where(place.path)} lacks baseUrl: the address of its host, as http://127.0.0.1:11434/v1`,
      );
    }
    return { models, provider, toolSearch, ...rest };
  },
};

const KEY_BLOCK = object(
  {
    name: { about: 'For people to tell keys apart.', shape: text() },
    key: { about: `The secret that clients send. Write \${NAME} to take it from the environment.`, shape: SECRET },
    hash: {
      about: "Instead of key: the secret's SHA-256 in hexadecimal.",
      shape: text({ isSecret: true, pattern: /^[0-9a-fA-F]{64}$/, allowed: '64 hexadecimal digits' }),
    },
    models: { about: 'Models that it may use.', shape: listOf(text()), default: ['*'] },
    catalogs: { about: 'Named catalogs that it may use.', shape: listOf(text()), default: ['*'] },
    tools: {
      about: 'Tools of MCP servers that it may use. Those of the catalogs that it may use, when missing.',
      shape: object({
        allow: { about: 'Patterns: github/*, */read_*.', shape: listOf(text()) },
        deny: { about: 'Patterns; stronger than allow.', shape: listOf(text()) },
      }),
    },
    limits: {
      about: 'How much it may use. What is missing is not limited.',
      shape: object({
        requestsPerMinute: { about: 'Requests in any minute.', shape: whole({ min: 0, max: MOST }) },
        tokensPerMinute: { about: 'Tokens in any minute.', shape: whole({ min: 0, max: MOST }) },
      }),
      default: {},
    },
  },
  { required: ['name'] },
);

const KEY: Shape<ConfiguredKey> = {
  schema: KEY_BLOCK.schema,
  read(value, place) {
    const read = KEY_BLOCK.read(value, place);
    if (read === undefined) return undefined;
    const { name, key, hash, ...permissions } = read;
    const given = ['key', 'hash'].filter((field) => isJsonObject(value) && Object.hasOwn(value, field));
    if (isJsonObject(value) && given.length !== 1) {
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

const TOOL_SEARCH_BLOCK = object({
  enabled: { about: 'auto defers from threshold_pct on, on always, off never.', shape: onOffAuto() },
  threshold_pct: {
    about: 'The share of the context window from which on tools are deferred.',
    shape: number({ min: 0, max: 100 }),
  },
  search_default_limit: {
    about: 'Matches in an answer when the model names no limit.',
    shape: whole({ min: 1, max: 50 }),
  },
  max_search_limit: { about: 'The most matches that the model can ask for.', shape: whole({ min: 1, max: 50 }) },
});

const TOOL_SEARCH: Shape<GateSettings> = {
  schema: { anyOf: [TOOL_SEARCH_BLOCK.schema, { type: 'boolean' }] },
  read(value, place) {
    const block = typeof value === 'boolean' ? value : TOOL_SEARCH_BLOCK.read(value, place);
    if (block === undefined) return undefined;
    try {
      return readHermesToolSearch(block);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      place.report(String(error.context.setting).split('.'), error.message);
      return undefined;
    }
  },
};

const LIMITS = object({
  bodyBytes: { about: 'The largest request body.', shape: bytes(), default: 32 * MEBIBYTE },
  batchBytes: { about: 'The largest body that creates a batch.', shape: bytes(), default: 256 * MEBIBYTE },
  batchItems: { about: 'The most requests in a batch.', shape: whole({ min: 1, max: MOST }), default: 100_000 },
  batchConcurrency: {
    about: 'How many requests of batches are worked on at a time; 0 leaves them to other replicas.',
    shape: whole({ min: 0, max: 1000 }),
    default: 4,
  },
  rounds: {
    about: 'How many times a model is asked for one response; then it pauses.',
    shape: whole({ min: 1, max: 100 }),
    default: 12,
  },
  upstreamTimeoutMs: {
    about: 'How long an upstream may be silent.',
    shape: whole({ min: 1, max: 24 * 60 * 60 * 1000 }),
    default: 600_000,
  },
  upstreamRetries: {
    about: 'How often a request is tried again where that may help.',
    shape: whole({ min: 0, max: 10 }),
    default: 2,
  },
  indexCacheBytes: { about: 'Memory for indexes of known catalogs.', shape: bytes(), default: 256 * MEBIBYTE },
  offThreadBytes: {
    about: 'Bodies from this size on are parsed beside the main thread.',
    shape: bytes(),
    default: MEBIBYTE,
  },
});

const MCP: Shape<McpSettings> = object({
  form: {
    about: 'How tools reach clients of /mcp. Without it all of them until the gate defers them, then as bridge.',
    shape: choice(['bridge', 'load', 'inline']),
  },
  sessions: {
    about: 'Whether clients of /mcp may have lasting connections, which live in one process.',
    shape: flag(),
    default: false,
  },
  origins: {
    about: 'Addresses of web pages that may use /mcp, beside those of the gateway itself: https://inspector.example.',
    shape: listOf(webAddress()),
    default: [],
  },
  connector: {
    about: 'Bounds on connecting to servers that clients name in mcp_servers.',
    shape: object({
      enabled: { about: 'Whether that is done at all.', shape: flag(), default: true },
      allow: {
        about:
          'Addresses that may be connected to, * standing for any text. One that names its host without a * opens private addresses of that host too.',
        shape: listOf(addressPattern()),
        default: ['https://*'],
      },
      connectTimeoutMs: { about: 'How long a server may take to answer.', shape: milliseconds(), default: 10_000 },
      callTimeoutMs: { about: 'How long a call may take.', shape: milliseconds(), default: 120_000 },
      resultBytes: { about: 'The largest result that a model gets to see.', shape: bytes(), default: 256 * 1024 },
    }),
    default: {},
  },
});

/** What `quartermaster.yaml` may say: the source of its reader and of its JSON Schema alike. */
export const CONFIG_SHAPE: Shape<ConfigDocument> = object({
  listen: { about: 'Where the gateway listens.', shape: LISTEN, default: {} },
  store: { about: 'Where batches, catalogs, keys and the like are kept.', shape: STORE, default: {} },
  upstreams: {
    about: 'The models behind the gateway. The first entry that fits a name serves it.',
    shape: listOf(UPSTREAM),
    default: [],
  },
  mcpServers: {
    about: 'MCP servers by name, as in the configuration of MCP clients.',
    shape: record(MCP_SERVER),
    default: {},
  },
  mcpConfig: {
    about: "Files with an mcpServers block of their own, such as .mcp.json, relative to this file's folder.",
    shape: listOf(text()),
    default: [],
  },
  mcp: { about: 'What the gateway makes of MCP servers.', shape: MCP, default: {} },
  tools: {
    about: 'When tools are deferred.',
    shape: object({
      tool_search: { about: 'The gate.', shape: TOOL_SEARCH, default: true },
      pins: {
        about: 'Tools that are always sent in full, * standing for any text.',
        shape: listOf(text()),
        default: [],
      },
      policies: {
        about: 'When tools may be deferred, by pattern: github/*, mcp__slack__*, */delete_*.',
        shape: record(choice(POLICIES)),
        default: {},
      },
    }),
    default: {},
  },
  search: {
    about: 'How tools are found.',
    shape: object({
      engine: {
        about: 'hybrid understands meaning too; bm25 goes by words alone.',
        shape: choice(['hybrid', 'bm25']),
        default: 'hybrid',
      },
      whenNothingFits: {
        about: 'Answer with nothing (empty), or with the nearest all the same (best).',
        shape: choice(['empty', 'best']),
        default: 'empty',
      },
    }),
    default: {},
  },
  deferral: {
    about:
      'Defer only what clients mark (as-requested), or apply the gate to clients that know nothing of tool search (auto).',
    shape: choice(['as-requested', 'auto']),
    default: 'as-requested',
  },
  errorCodes: {
    about: 'Codes of search errors: as the SDK types them, or as the documentation names them.',
    shape: choice(['typed', 'documented']),
    default: 'typed',
  },
  strict: {
    about:
      'Whether a cache breakpoint on a deferred tool is refused, as Anthropic does. Some clients then give up tool search.',
    shape: flag(),
    default: false,
  },
  keys: { about: 'API keys of the gateway, besides those in the store.', shape: listOf(KEY), default: [] },
  limits: { about: 'Bounds on what one request may cost.', shape: LIMITS, default: {} },
});

/** For editors: `# yaml-language-server: $schema=…/quartermaster.schema.json`. */
export function configJsonSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'quartermaster.yaml',
    ...CONFIG_SHAPE.schema,
  };
}

function oneOrMore<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  const several = listOf(shape);
  return {
    schema: { anyOf: [shape.schema, several.schema] },
    read(value, place) {
      if (Array.isArray(value)) return several.read(value, place);
      const one = shape.read(value, place);
      return one === undefined ? undefined : [one];
    },
  };
}

/** Other YAML readers turn a bare `on` or `off` into a boolean, so both are written. */
function onOffAuto(): Shape<'auto' | 'on' | 'off' | boolean> {
  const words = choice(['auto', 'on', 'off']);
  return {
    schema: { anyOf: [words.schema, { type: 'boolean' }] },
    read: (value, place) => (typeof value === 'boolean' ? value : words.read(value, place)),
  };
}

function milliseconds(): Shape<number> {
  return whole({ min: 1, max: 24 * 60 * 60 * 1000 });
}

/** A scheme, a host, and perhaps a port and a path. */
function addressPattern(): Shape<string> {
  return text({
    pattern: /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(?:\d{1,5}|\*))?(?:\/[^\s]*)?$/,
    allowed: 'an address such as https://mcp.example.com, https://*.example.com/mcp or http://127.0.0.1:9000',
  });
}

function bytes(): Shape<number> {
  return whole({ min: 1024, max: 8 * 1024 * MEBIBYTE });
}

function encryptionKey(): Shape<Uint8Array> {
  const secret = text({ isSecret: true });
  return {
    schema: secret.schema,
    read(value, place) {
      const given = secret.read(value, place);
      if (given === undefined) return undefined;
      try {
        return readEncryptionKey(given);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return wrong(value, place, '32 bytes in base64, as openssl rand -base64 32 makes them', { isSecret: true });
      }
    },
  };
}
