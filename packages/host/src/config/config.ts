import type { GateSettings, Policy, PolicyRules } from '@quartermaster/core';
import type { KeyPermissions, StoreLocation } from '../store/index.ts';

/** The settings of a running Quartermaster, checked and complete. */
export interface Config {
  readonly listen: ListenSettings;
  readonly store: StoreSettings;
  /** The first one whose patterns fit a model's name serves it. */
  readonly upstreams: readonly UpstreamSettings[];
  /** By name. The object has no prototype: any name is just a name. */
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  readonly tools: ToolSettings;
  readonly search: SearchSettings;
  /** `as-requested` defers only what the client marked; `auto` applies the gate to clients that know nothing of tool search. */
  readonly deferral: 'as-requested' | 'auto';
  /** The codes of search errors inside an answer: as the SDK types them, or as the documentation names them. */
  readonly errorCodes: 'typed' | 'documented';
  readonly keys: readonly ConfiguredKey[];
  readonly limits: LimitSettings;
  /** The files that were read, the main one first. */
  readonly files: readonly string[];
}

export interface ListenSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface StoreSettings {
  readonly location: StoreLocation;
  /** AES-256 keys for tokens, the current one first. */
  readonly encryptionKeys: readonly Uint8Array[];
}

export interface UpstreamSettings {
  /** Names of models, `*` standing for any text. */
  readonly models: readonly string[];
  readonly provider: UpstreamProvider;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly contextTokens?: number;
  /** Whether the host expands `tool_reference` blocks. */
  readonly references?: boolean;
  /** Who searches: we, or the host. */
  readonly toolSearch: 'local' | 'upstream';
}

export type UpstreamProvider = (typeof UPSTREAM_PROVIDERS)[number];

/** `anthropic` is passed through raw and `rehearsal` is built in; the others go through the AI SDK's package of that name. */
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

/** An entry of the usual `mcpServers` block. */
export type McpServerSettings = StdioServerSettings | RemoteServerSettings;

export interface StdioServerSettings extends McpServerOptions {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RemoteServerSettings extends McpServerOptions {
  /** Without a type Streamable HTTP is tried first, then SSE. */
  readonly type?: 'http' | 'streamable-http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: boolean;
}

export interface McpServerOptions {
  readonly policy?: Policy;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly connectTimeoutMs?: number;
  readonly listTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly disabled?: boolean;
}

export interface ToolSettings {
  readonly gate: GateSettings;
  readonly policies: PolicyRules;
}

export interface SearchSettings {
  readonly engine: 'hybrid' | 'bm25';
  /** What an answer holds when nothing fits: nothing, or the nearest tools all the same. */
  readonly whenNothingFits: 'empty' | 'best';
}

/** A key from the file. Its secret is hashed on reading and not kept. */
export interface ConfiguredKey extends KeyPermissions {
  readonly name: string;
  /** The secret's SHA-256 as hexadecimal, as `hashApiKey` makes it. */
  readonly hash: string;
}

export interface LimitSettings {
  readonly bodyBytes: number;
  readonly batchBytes: number;
  readonly batchItems: number;
  readonly upstreamTimeoutMs: number;
  readonly upstreamRetries: number;
  readonly indexCacheBytes: number;
  readonly offThreadBytes: number;
}
