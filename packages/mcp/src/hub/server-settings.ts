import type { Transport } from '@modelcontextprotocol/client';
import type { Policy } from '@quartermaster/core';

/** How one MCP server is reached: an entry of the usual `mcpServers` block, as people have it for their client. */
export type ServerSettings = StdioSettings | RemoteSettings | InProcessSettings;

export interface ServerOptions {
  /** When its tools may be deferred. @default what each definition says, else automatic */
  readonly policy?: Policy;
  /** Names of tools to take, `*` standing for any text. @default all */
  readonly allow?: readonly string[];
  /** Names of tools to leave out; stronger than `allow`. @default none */
  readonly deny?: readonly string[];
  /** How long the server may take to start and to answer `initialize`. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** How long one page of a list may take. @default 30_000 */
  readonly listTimeoutMs?: number;
  /** How long a call may go without a result or a sign of progress. @default 300_000 */
  readonly callTimeoutMs?: number;
  /** Whether to leave the server out. @default false */
  readonly disabled?: boolean;
}

/** A process of ours, spoken to over its standard input and output. */
export interface StdioSettings extends ServerOptions {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a short list of harmless variables; nothing else of our environment is handed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server on the network. Without a type Streamable HTTP is tried first, then SSE. */
export interface RemoteSettings extends ServerOptions {
  readonly type?: 'http' | 'streamable-http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether users sign in to it with OAuth. @default false */
  readonly oauth?: boolean;
}

/** A server in this process, of either SDK line. */
export interface InProcessSettings extends ServerOptions {
  readonly type: 'in-process';
  /** Makes an instance for one connection: an SDK server holds one at a time. */
  readonly create: () => Connectable | Promise<Connectable>;
}

export interface Connectable {
  connect(transport: Transport): Promise<void>;
}

export const SERVER_DEFAULTS: {
  readonly connectTimeoutMs: number;
  readonly listTimeoutMs: number;
  readonly callTimeoutMs: number;
} = { connectTimeoutMs: 30_000, listTimeoutMs: 30_000, callTimeoutMs: 300_000 };

export function isStdio(settings: ServerSettings): settings is StdioSettings {
  return 'command' in settings;
}

export function isInProcess(settings: ServerSettings): settings is InProcessSettings {
  return settings.type === 'in-process';
}
