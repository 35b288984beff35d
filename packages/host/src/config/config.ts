import type { Policy, PolicyRules, SearchHints } from '@quartermaster/core/catalog';
import type { GateSettings } from '@quartermaster/core/gate';
import type { KeyPermissions, StoreLocation } from '../store/index.ts';

/** The settings of a running Quartermaster, checked and complete. */
export interface Config {
  readonly listen: ListenSettings;
  readonly store: StoreSettings;
  /** The first one whose patterns match a model's name serves it. */
  readonly upstreams: readonly UpstreamSettings[];
  /** By name. The object has no prototype, so any name is just a name. */
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  /** The file that each server of `mcpServers` comes from. */
  readonly serverFiles: ReadonlyMap<string, string>;
  /** Unusable entries. They don't affect the others. */
  readonly unusableServers: readonly UnusableServer[];
  /** What clients' files say about servers that is not carried over. */
  readonly notes: readonly ServerNote[];
  /** Values that servers need and that a person is asked for once. */
  readonly inputs: readonly ServerInput[];
  readonly mcp: McpSettings;
  readonly tools: ToolSettings;
  readonly search: SearchSettings;
  /**
   * `as-requested` defers only what the client marked; `auto` applies the gate to clients that don't use tool search themselves:
   * never to a request that marks tools or brings a search tool; `adaptive` is `auto` and also offers fitting tools to models that
   * don't search.
   */
  readonly deferral: 'as-requested' | 'auto' | 'adaptive';
  readonly deferralSource: DeferralSource;
  /** The codes of search errors inside an answer: as the SDK types them, or as the documentation names them. */
  readonly errorCodes: 'typed' | 'documented';
  /** Whether a cache breakpoint on a deferred tool is rejected, as Anthropic does. Some clients then give up tool search. */
  readonly strict: boolean;
  readonly keys: readonly ConfiguredKey[];
  readonly limits: LimitSettings;
  readonly transcripts: TranscriptSettings;
  /** What is stored about requests, and for how long. With `keep: 'queries'` `/v1/activity` shows the texts of searches. */
  readonly insight: InsightSettings;
  /** Prices of tokens, by model name or pattern with `*`. The first match counts. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** What is learned from use. */
  readonly usage: UsageSettings;
  /** The files that were read, the main one first. */
  readonly files: readonly string[];
}

/**
 * What decided `deferral`: the setting itself; if it is not given, the gate's own settings, which would otherwise have no
 * effect on most clients; or the default.
 */
export type DeferralSource = 'deferral' | 'tools.tool_search' | 'ENABLE_TOOL_SEARCH' | 'default';

/** Where the gateway listens. */
export interface ListenSettings {
  readonly host: string;
  /** 0 uses any free port. */
  readonly port: number;
  /** The address at which clients reach it, for addresses in answers. @default the address of the request */
  readonly publicUrl?: string;
}

/** What happens to the parts of responses that clients can't be shown. */
export interface TranscriptSettings {
  readonly keep: 'store' | 'memory' | 'off';
  readonly retentionHours: number;
  readonly maxBytes: number;
}

/** What is stored about requests, for people to look at. */
export interface InsightSettings {
  /** `counts` stores counts by day; `queries` stores requests too, with the texts of their searches. */
  readonly keep: 'off' | 'counts' | 'queries';
  readonly retentionDays: number;
  /** The limit of all stored requests together. */
  readonly maxBytes: number;
  /** Whether the latest requests are kept in memory as models received them. */
  readonly wire: boolean;
}

/** The price of a model's tokens, in dollars per million. */
export interface ModelPrice {
  readonly input: number;
  /** Needed for the agent's costs. */
  readonly output?: number;
  /** Tokens read from the provider's cache. @default `input` */
  readonly cacheRead?: number;
  /** Tokens written to the provider's cache. @default `input` */
  readonly cacheWrite?: number;
}

/** Where state is stored, and how tokens in it are encrypted. */
export interface StoreSettings {
  readonly location: StoreLocation;
  /** AES-256 keys for tokens, the current one first. */
  readonly encryptionKeys: readonly Uint8Array[];
  /** How many days the audit log is kept. */
  readonly auditDays: number;
}

/** One model host, and the models it serves. */
export interface UpstreamSettings {
  /** Names of models; `*` matches any text. */
  readonly models: readonly string[];
  readonly provider: UpstreamProvider;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly contextTokens?: number;
  /** Whether the host expands `tool_reference` blocks. */
  readonly references?: boolean;
  /** How found tools reach the model if the host has no references. @default decided by the client's protocol */
  readonly form?: (typeof UPSTREAM_FORMS)[number];
  /** Whether the models read images; if not, a note replaces each image. @default true */
  readonly images?: boolean;
  /** Who searches: we, or the host. */
  readonly toolSearch: 'local' | 'upstream';
  /** Who connects to the `mcp_servers` of a request: we, or the host. @default as toolSearch */
  readonly mcpConnector?: 'local' | 'upstream';
  /** Whether clients may use the host's files. @default if the client's own key goes upstream */
  readonly files?: boolean;
  /** Sent with every request; clients can't override them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client's own credential goes upstream if no key is set. @default false */
  readonly forwardsAuthorization?: boolean;
}

/** Forms that any host can carry. All but `load` leave everything before the first message unchanged. */
export const UPSTREAM_FORMS = ['bridge', 'stub', 'load'] as const;

/** A kind of model host. */
export type UpstreamProvider = (typeof UPSTREAM_PROVIDERS)[number];

/** `anthropic` is passed through raw and `rehearsal` is built in; the others use the AI SDK package of that name. */
export const UPSTREAM_PROVIDERS = [
  'anthropic',
  'openai',
  'openai-compatible',
  'google',
  'google-vertex',
  'amazon-bedrock',
  'azure',
  'mistral',
  'cohere',
  'groq',
  'xai',
  'deepseek',
  'fireworks',
  'togetherai',
  'cerebras',
  'deepinfra',
  'perplexity',
  'rehearsal',
] as const;

/** An entry of the `mcpServers` block that MCP clients use. */
export type McpServerSettings = StdioServerSettings | RemoteServerSettings;

/** A local process, over its standard input and output. */
export interface StdioServerSettings extends McpServerOptions {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a short list of harmless variables; nothing else of our environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server on the network. Without a type, Streamable HTTP is tried first, then SSE. */
export interface RemoteServerSettings extends McpServerOptions {
  readonly type?: 'http' | 'streamable-http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether users sign in with OAuth, and further options for it. @default false */
  readonly oauth?: boolean | OAuthSettings;
}

/** Details of a sign-in that the server does not report. */
export interface OAuthSettings {
  /** The client that the server's operator registered for us. @default the sign-in registers one */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The https address of a client metadata document, for authorization servers that read such documents. */
  readonly clientMetadataUrl?: string;
  /** Requested in addition to the scopes that the server names. */
  readonly scopes?: readonly string[];
}

/** Settings that every MCP server can have. */
export interface McpServerOptions {
  /** When its tools may be deferred. @default each definition's own policy, else automatic */
  readonly policy?: Policy;
  /** Names of tools to include; `*` matches any text. @default all */
  readonly allow?: readonly string[];
  /** Names of tools to leave out; overrides `allow`. @default none */
  readonly deny?: readonly string[];
  /** How long the server may take to start and to answer `initialize`. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** How long one page of a list may take. @default 30_000 */
  readonly listTimeoutMs?: number;
  /** How long a call may take without a result or progress. @default 300_000 */
  readonly callTimeoutMs?: number;
  /** The protocol revision to use. @default the newest that works */
  readonly protocolVersion?: ProtocolVersion;
  /** Whether to leave the server out. @default false */
  readonly disabled?: boolean;
}

export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** The protocol revisions that a server can be set to. */
export const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** An entry that names a server but can't be used. */
export interface UnusableServer {
  readonly name: string;
  /** Never contains a secret. */
  readonly reason: string;
  /** The file that contains it. */
  readonly source: string;
  /** Counted from 1. */
  readonly line?: number;
}

/** A remark about a configured server. */
export interface ServerNote {
  readonly server: string;
  readonly message: string;
  readonly source: string;
  /** Set if the entry is not used, because an earlier file has a server of that name. `reason`: why it could not be used anyway. */
  readonly ignored?: { readonly reason?: string };
}

/** An `${input:…}` of a file. */
export interface ServerInput {
  /** The file that contains it: the same id in another file is another input. */
  readonly source: string;
  readonly id: string;
  readonly description?: string;
  readonly default?: string;
  /** The values to choose from. */
  readonly options?: readonly string[];
  readonly isSecret: boolean;
  /** The servers that need it. */
  readonly servers: readonly string[];
}

/** The gateway's settings for MCP servers. */
export interface McpSettings {
  /** How tools reach clients of `/mcp`. Without it the gate decides. */
  readonly form?: 'bridge' | 'load' | 'inline';
  /** The context window of the clients' models, which MCP does not report. @default 128_000 */
  readonly contextTokens?: number;
  /** Whether clients of `/mcp` may have sessions, which live in one process. */
  readonly sessions: boolean;
  /** How repeated and fruitless searches on an MCP connection are handled. */
  readonly searchGuard: 'hint' | 'stop-repeats' | 'off';
  /** Which definitions are held back until they are accepted. */
  readonly quarantine: 'off' | 'changed' | 'new';
  /** What happens to suspicious definitions. */
  readonly findings: 'warn' | 'withhold' | 'off';
  /** Whether our own tools are marked so that a client with its own tool search does not hide them. */
  readonly alwaysLoad: 'auto' | 'always' | 'never';
  /** A longer tool result is cut off for clients of `/mcp`, and says so. */
  readonly resultBytes: number;
  /** The largest request to `/mcp`. */
  readonly requestBytes: number;
  /** How many JSON values one message may have, of a client of `/mcp` or of a server. */
  readonly messageValues: number;
  readonly limits: McpLimitSettings;
  /** Web origins that may use `/mcp`, in addition to the gateway's own. */
  readonly origins: readonly string[];
  readonly connector: McpConnectorSettings;
}

/** How much of an MCP server's list of tools is read. Tools past a limit are missing, and searches say so. */
export interface McpLimitSettings {
  readonly toolsPerServer: number;
  readonly listBytes: number;
  readonly listPages: number;
}

/** Limits on connecting to servers that clients name in `mcp_servers`. */
export interface McpConnectorSettings {
  readonly enabled: boolean;
  /**
   * Addresses that may be connected to: `https://*`, `https://*.example.com`, `http://10.0.0.5:8080/mcp`. A pattern that names its host
   * without a `*` also allows private addresses of that host.
   */
  readonly allow: readonly string[];
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** The largest result that a model sees; the rest is cut off. */
  readonly resultBytes: number;
}

/** When tools are deferred, and which. */
export interface ToolSettings {
  /** When tools are deferred, for `auto` and `/mcp`; how many a search returns, for marked requests too. */
  readonly gate: GateSettings;
  /** When tools may be deferred, for `auto`. */
  readonly policies: PolicyRules;
  /**
   * The limit of a listing of the deferred tools in the system text, in tokens; 0 for none. With a listing, any change of the tools
   * changes the prefix that hosts cache.
   */
  readonly listingTokens: number;
  /** Whether the tools that a key uses most are pinned for it automatically, if the gate decides and at `/mcp`. */
  readonly autoPins: boolean;
}

/** What is learned from use. */
export interface UsageSettings {
  /** `counts`: which tools were called after searches. `vectors`: also the vectors of those searches, which favours these tools in similar searches. */
  readonly learn: 'off' | 'counts' | 'vectors';
}

/** How tools are searched. */
export interface SearchSettings {
  readonly engine: 'auto' | 'hybrid' | 'bm25' | 'hybrid+reranker';
  /** Where stored catalogs are indexed: in each process, or in the store's PostgreSQL. @default 'memory' */
  readonly backend?: 'memory' | 'postgres';
  /** What a result contains if nothing fits: nothing, or the nearest tools. */
  readonly whenNothingFits: 'empty' | 'best';
  /** Search hints for tools, in addition to their definitions. @default none */
  readonly hints?: SearchHints;
  /** Where built indexes are stored. @default INDEX_CACHE_DEFAULTS */
  readonly cache?: IndexCacheSettings;
}

/** Where built indexes are stored. */
export interface IndexCacheSettings {
  /** @default `quartermaster/indexes` in the user's cache folder */
  readonly folder?: string;
  /** The limit of all indexes on disk; 0 stores none there. */
  readonly diskBytes: number;
  /** The same for those in the store. */
  readonly storeBytes: number;
}

/** A key in the file. Its secret is hashed on reading and not kept. */
export interface ConfiguredKey extends KeyPermissions {
  readonly name: string;
  /** The secret's SHA-256 as hexadecimal, as `hashApiKey` makes it. */
  readonly hash: string;
  /** Tools of MCP servers that it may use, by pattern. Without it: all tools of the servers whose catalogs it may use. */
  readonly tools?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
}

/** Limits on sizes, times and counts. */
export interface LimitSettings {
  readonly bodyBytes: number;
  readonly batchBytes: number;
  readonly batchItems: number;
  readonly batchConcurrency: number;
  readonly rounds: number;
  readonly upstreamTimeoutMs: number;
  readonly upstreamRetries: number;
  readonly indexCacheBytes: number;
  readonly inProgressBytes: number;
  readonly requestTools: number;
  readonly catalogTools: number;
  readonly searchedTools: number;
  readonly queryLength: number;
  readonly offThreadBytes: number;
}
