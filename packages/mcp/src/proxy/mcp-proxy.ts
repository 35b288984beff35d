import type { Transport } from '@modelcontextprotocol/server';
import type { Caller } from '@quartermaster/core/dispatch';
import type { Permissions } from './permissions.ts';

/** One MCP server in front of a hub. */
export interface McpProxy {
  /** Serves one lasting connection: a pipe, a socket, another part of this process. */
  connect(transport: Transport, options?: ConnectOptions): Promise<ProxyConnection>;
  /** Serves Streamable HTTP, as a web-standard handler. */
  fetch(request: Request, access?: Access): Promise<Response>;
  /** Closes every client connection. The hub is not affected. */
  close(): Promise<void>;
}

/** Options of one connection to the proxy. */
export interface ConnectOptions {
  readonly access?: Access;
  /** Whether this is the hub's only client: servers are then started for it, one process each. @default false */
  readonly isSole?: boolean;
}

/** One client's connection to the proxy. */
export interface ProxyConnection {
  close(): Promise<void>;
  /** Resolves when either side has ended the connection. */
  readonly closed: Promise<void>;
}

/** The client, and its permissions. */
export interface Access {
  /** For events; never a secret. */
  readonly id?: string;
  /** Whose tokens are used at servers that require a sign-in. */
  readonly user?: string;
  /** @default everything */
  readonly permissions?: Permissions;
  /** Tools that are always listed for this user besides the pins in the settings, such as those used most. @default none */
  readonly pins?: readonly string[];
  /** Asked before each search; see `Caller.admitSearch`. @default every search runs */
  readonly admitSearch?: NonNullable<Caller['admitSearch']>;
  /** Asked before a batch of messages is served, with how many it has beyond the first; rejects to refuse it. @default it is served */
  readonly admitBatch?: (more: number) => Promise<void>;
  /**
   * Where this user signs in to a server that requires it, such as a page of a gateway. Clients that can open addresses are
   * sent there; errors name it. @default the single user of a lasting connection is sent to the authorization server itself
   */
  readonly signInPage?: (server: string) => string;
}
