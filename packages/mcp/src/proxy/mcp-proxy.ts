import type { Transport } from '@modelcontextprotocol/server';
import type { Caller } from '@quartermaster/core/dispatch';
import type { Permissions } from './permissions.ts';

/** One MCP server in front of a hub. */
export interface McpProxy {
  /** Serves one lasting connection: a pipe, a socket, another part of this process. */
  connect(transport: Transport, options?: ConnectOptions): Promise<ProxyConnection>;
  /** Serves Streamable HTTP, as a web-standard handler. */
  fetch(request: Request, access?: Access): Promise<Response>;
  /** Ends every connection in front. The hub stays as it is. */
  close(): Promise<void>;
}

/** Options of one connection to the proxy. */
export interface ConnectOptions {
  readonly access?: Access;
  /** Whether this is the hub's only client: then servers are started for it, one process each. @default false */
  readonly isSole?: boolean;
}

/** One client's connection to the proxy. */
export interface ProxyConnection {
  close(): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

/** Who is in front, and what for. */
export interface Access {
  /** For events; never a secret. */
  readonly id?: string;
  /** Whose tokens are used at servers that want a user to sign in. */
  readonly user?: string;
  /** @default everything */
  readonly permissions?: Permissions;
  /** Tools that this user is always shown, besides those that the settings pin: such as those that they use most. @default none */
  readonly pins?: readonly string[];
  /** Asked before each search; see `Caller.admitSearch`. @default every search is run */
  readonly admitSearch?: NonNullable<Caller['admitSearch']>;
  /**
   * Where this user signs in to a server that requires it, such as a page of a gateway. Clients that can open addresses are
   * sent there; errors name it. @default the one user of a lasting connection is sent to the authorization server itself
   */
  readonly signInPage?: (server: string) => string;
}
