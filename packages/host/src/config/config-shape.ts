import type { JsonObject } from '@quartermaster/core/catalog';
import type { Config, IndexCacheSettings, SearchSettings, UsageSettings } from './config.ts';
import { INSIGHT, PRICE } from './insight-shape.ts';
import { KEYS } from './key-shape.ts';
import { LIMITS } from './limits-shape.ts';
import { MCP_SERVER, type McpServerDocument } from './mcp-server-shape.ts';
import { MCP } from './mcp-shape.ts';
import { bytes, choice, flag, text, webAddress, whole } from './scalar-shapes.ts';
import { defaultsOf, listOf, object, record, type Shape } from './shape.ts';
import { STORE, type StoreDocument } from './store-shape.ts';
import { TOOLS, type ToolsDocument } from './tools-shape.ts';
import { UPSTREAM } from './upstream-shape.ts';

/** The parsed document, before its paths are resolved and its other files are added. */
export interface ConfigDocument
  extends Pick<
    Config,
    | ('listen' | 'upstreams' | 'mcp' | 'errorCodes' | 'strict' | 'keys')
    | ('limits' | 'transcripts' | 'insight' | 'prices' | 'usage')
  > {
  readonly store: StoreDocument;
  readonly mcpServers: Readonly<Record<string, McpServerDocument>>;
  readonly mcpConfig: readonly string[];
  readonly tools: ToolsDocument;
  readonly search: Pick<SearchSettings, 'engine' | 'whenNothingFits'> & {
    readonly backend: 'memory' | 'postgres';
    readonly hints?: string;
    readonly cache: IndexCacheSettings;
  };
  readonly deferral?: Config['deferral'];
}

const MEBIBYTE = 1024 * 1024;

const upTo = (): Shape<number> => whole({ min: 0, max: Number.MAX_SAFE_INTEGER });

const INDEX_CACHE: Shape<IndexCacheSettings> = object({
  folder: {
    about:
      "The folder on disk, relative to this file's. Defaults to quartermaster/indexes in the user's cache folder (XDG_CACHE_HOME).",
    shape: text(),
  },
  diskBytes: {
    about: 'Maximum size of all indexes on disk; the least recently used are deleted first. 0 keeps none.',
    shape: upTo(),
    default: 512 * MEBIBYTE,
  },
  storeBytes: {
    about: 'The same for indexes in the store, which the replicas of a gateway share. 0 keeps none.',
    shape: upTo(),
    default: 1024 * MEBIBYTE,
  },
});

/** The default limits of stored indexes. */
export const INDEX_CACHE_DEFAULTS: IndexCacheSettings = defaultsOf(INDEX_CACHE);

const LEARN_WORDS = choice(['off', 'counts', 'vectors']);

/** Other YAML readers turn a bare `off` into a boolean. */
const LEARN: Shape<UsageSettings['learn']> = {
  schema: { anyOf: [LEARN_WORDS.schema, { enum: [false] }] },
  read: (value, place) => (value === false ? 'off' : LEARN_WORDS.read(value, place)),
};

/** What is learned from use. */
const USAGE: Shape<UsageSettings> = object({
  learn: {
    about:
      'counts keeps which tools were called after searches; vectors also keeps the embeddings of those searches, so that the tools ' +
      'are found first by searches like them. No texts are kept. Each API key learns for itself; clients that share a key, or use ' +
      'none, learn together, so leave it off if they are different tenants.',
    shape: LEARN,
    default: 'off',
  },
});

const LISTEN = object({
  host: {
    about: 'The address to listen on. Addresses other than loopback require keys.',
    shape: text(),
    default: '127.0.0.1',
  },
  port: { about: 'The port; 0 picks a free one.', shape: whole({ min: 0, max: 65_535 }), default: 8787 },
  publicUrl: {
    about:
      'The address that clients and browsers use, for URLs in responses and the sign-in page. Defaults to the address of the request.',
    shape: webAddress(),
  },
});

/** The content of `quartermaster.yaml`: the source of both its reader and its JSON Schema. */
export const CONFIG_SHAPE: Shape<ConfigDocument> = object({
  listen: { about: 'Where the gateway listens.', shape: LISTEN, default: {} },
  store: { about: 'Where batches, catalogs, keys and similar data are kept.', shape: STORE, default: {} },
  upstreams: {
    about: 'The models behind the gateway. The first entry that matches the model name is used.',
    shape: listOf(UPSTREAM),
    default: [],
  },
  mcpServers: {
    about: 'MCP servers by name, as in the configuration of MCP clients.',
    shape: record(MCP_SERVER),
    default: {},
  },
  mcpConfig: {
    about: "Files with an mcpServers block, such as .mcp.json, relative to this file's folder.",
    shape: listOf(text()),
    default: [],
  },
  mcp: { about: 'How MCP servers are served.', shape: MCP, default: {} },
  tools: { about: 'When tools are deferred.', shape: TOOLS, default: {} },
  search: {
    about: 'How tools are found.',
    shape: object({
      engine: {
        about:
          'auto is hybrid+reranker if the reranker loads, otherwise hybrid. hybrid searches by keywords and embeddings, bm25 by keywords only; ' +
          'hybrid+reranker reorders the best with a transformer, and fails to start without @quartermaster/reranker and onnxruntime-node.',
        shape: choice(['auto', 'hybrid', 'bm25', 'hybrid+reranker']),
        default: 'auto',
      },
      backend: {
        about:
          'Where stored catalogs are indexed: in the memory of each process, or in the PostgreSQL of store.url, for catalogs that are too ' +
          'large for a process. postgres needs the engine auto, hybrid or hybrid+reranker, and does not use hints.',
        shape: choice(['memory', 'postgres']),
        default: 'memory',
      },
      whenNothingFits: {
        about: 'If nothing fits: return nothing (empty) or the nearest tools anyway (best).',
        shape: choice(['empty', 'best']),
        default: 'empty',
      },
      hints: {
        about:
          "A file of search hints, as quartermaster enrich writes it, relative to this file's folder. Only the index holds them; no model sees them.",
        shape: text(),
      },
      cache: {
        about: 'Where built indexes are kept, so that the same tools are indexed only once.',
        shape: INDEX_CACHE,
        default: {},
      },
    }),
    default: {},
  },
  deferral: {
    about:
      'as-requested defers only what clients mark; auto also applies the gate to clients that do not know tool search; ' +
      "adaptive is auto, and also offers matching tools to models that don't search. " +
      'Defaults to auto if tools.tool_search or ENABLE_TOOL_SEARCH is set and not off, otherwise to as-requested.',
    shape: choice(['as-requested', 'auto', 'adaptive']),
  },
  errorCodes: {
    about: "Codes of search errors: as in the SDK's types (typed) or as in Anthropic's documentation (documented).",
    shape: choice(['typed', 'documented']),
    default: 'typed',
  },
  strict: {
    about:
      'Whether cache_control on a deferred tool is rejected, as Anthropic does. Some clients then stop using tool search.',
    shape: flag(),
    default: false,
  },
  keys: { about: 'API keys of the gateway, in addition to those in the store.', shape: KEYS, default: [] },
  limits: { about: 'Limits on what one request may use.', shape: LIMITS, default: {} },
  transcripts: {
    about: "Searches and refused calls that a client's protocol can't show; they are restored in the next request.",
    shape: object({
      keep: {
        about:
          'In the store, encrypted with store.encryptionKey, so that conversations survive a restart and move between replicas; ' +
          'in memory; or not at all.',
        shape: choice(['store', 'memory', 'off']),
        default: 'store',
      },
      retentionHours: {
        about: 'How long an entry is kept in the store.',
        shape: whole({ min: 1, max: 87_600 }),
        default: 168,
      },
      maxBytes: {
        about: 'Maximum size of all entries in the store; the oldest are deleted first.',
        shape: bytes(),
        default: 1024 * MEBIBYTE,
      },
    }),
    default: {},
  },
  insight: {
    about:
      'What is stored about requests for the console and /v1/savings: off, counts or queries (query texts too); or a block. ' +
      'Without storage, figures are counted since the start.',
    shape: INSIGHT,
    default: 'off',
  },
  prices: {
    about:
      "What tokens cost, by model name or pattern, for savings in dollars and for the agent's budget. The first match applies.",
    shape: record(PRICE),
    default: {},
  },
  usage: { about: 'What is learned from use.', shape: USAGE, default: {} },
});

/** What an empty document means. */
export const CONFIG_DEFAULTS: ConfigDocument = defaultsOf(CONFIG_SHAPE);

/** For editors: `# yaml-language-server: $schema=…/quartermaster.schema.json`. */
export function configJsonSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'quartermaster.yaml',
    ...CONFIG_SHAPE.schema,
  };
}
