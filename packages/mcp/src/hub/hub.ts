import type { ClientCapabilities, ProgressCallback } from '@modelcontextprotocol/client';
import type { Snapshot, Tool } from '@quartermaster/core';
import type { JsonObject, PolicyRules } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { TokenOwner } from '../store/index.ts';
import type { Connection, Outgoing } from './connection/index.ts';
import type { Origin } from './server-connections.ts';
import type { ServerSettings } from './server-settings.ts';
import type { ServerStatus, ServerSummary } from './server-status.ts';
import type { DefinitionChange, Suspicion } from './trust/index.ts';

/** A client of many servers: one catalog, one way to call. */
export interface Hub {
  /**
   * Starts the servers. Those with a stored listing wait for their first use. Resolves when each has responded or failed.
   * Starting again waits for the same.
   */
  start(options?: StartOptions): Promise<void>;
  /** Resolves when this server has responded or failed, or has a stored listing. Starts the hub if necessary. */
  started(server: string): Promise<void>;
  /** Every tool that can be used now, in the order of the configuration. The same object until something changes. */
  snapshot(): Snapshot;
  /** The servers in the order of the configuration, with what each said about itself at its last connection. */
  servers(): readonly ServerSummary[];
  /** The state of each server, for people. */
  status(): readonly ServerStatus[];
  /** Servers whose tools can't all be used, and why: for answers to searches. */
  unavailable(): readonly Unavailable[];
  /** Calls a tool, starting its server if necessary. The result is what the server sent, including `isError`. */
  call(call: HubCall): Promise<JsonObject>;
  /** Sends any other request to a server. */
  request(request: HubRequest): Promise<JsonObject>;
  /**
   * Follows changes to a resource, whatever revision the server speaks and however often it restarts. They arrive as
   * `notifications/resources/updated`, at the peer or as an event. Resolves to a function that ends it.
   */
  follow(request: FollowRequest): Promise<() => void>;
  /** Connects to a server, for a request that depends on its kind. */
  connect(server: string, origin?: Origin): Promise<Connection>;
  /** Sends a notification to servers, if the peer has an open connection. */
  notify(peer: Peer, notification: Outgoing): void;
  /** A peer's open connections. */
  connections(peer: Peer): readonly Connection[];
  /** Closes a peer's connections. */
  release(peer: Peer): Promise<void>;
  /** What is suspicious about a tool's definition, whatever the consequences; nothing if `findings` is `off`. */
  findings(tool: Tool): readonly Suspicion[];
  /** Accepts the current definitions of changed tools. `*` matches any text. */
  accept(toolPatterns: readonly string[]): Promise<void>;
  /**
   * Starts a user's sign-in to a server and returns the address to open. Undefined if the server has none, or none can start here.
   * The user is redirected to `redirectUrl`, whose handler calls `finishSignIn`; by default to the address that the OAuth client was
   * created with.
   */
  beginSignIn(server: string, user?: string, redirectUrl?: string): Promise<string | undefined>;
  /** Resolves when the user has signed in at a server, here or in another process; rejects with the signal's reason. */
  untilSignedIn(
    server: string,
    options: { readonly user?: string | undefined; readonly signal: AbortSignal },
  ): Promise<void>;
  /** The servers that a user signs in at, and whether they have. */
  signIns(user?: string): Promise<readonly SignInState[]>;
  /** Accepts one changed definition, if it still has this hash. Returns whether it did. */
  acceptChange(change: Pick<DefinitionChange, 'tool' | 'hash'>): Promise<boolean>;
  /**
   * Completes a sign-in with what the authorization server sent to the redirect address, and connects. The error of a call that
   * needs a sign-in says where to begin: `authorization_required`, with `context.authorizationUrl`.
   */
  finishSignIn(callback: URLSearchParams): Promise<TokenOwner>;
  /** Retries an unreachable server at once, without the rest of the pause. */
  retry(server: string, origin?: Pick<Origin, 'user'>): Promise<void>;
  /** Replaces the rules on when tools may be deferred. */
  setPolicies(policies: PolicyRules): void;
  /** Replaces the set of servers: new ones are started, removed ones are ended, changed ones are restarted. */
  reconfigure(next: HubServers): Promise<void>;
  subscribe(listener: (event: HubEvent) => void): () => void;
  /** Ends every connection and every process. */
  close(): Promise<void>;
}

/** Whether a user is signed in to a server. */
interface SignInState {
  readonly server: string;
  readonly isSignedIn: boolean;
}

/** The servers of a hub. */
export interface HubServers {
  /** By name, as in the `mcpServers` block of MCP clients. */
  readonly servers: Readonly<Record<string, ServerSettings>>;
  /** Configured servers that can't be used, and why: named in answers to searches and in the status. @default none */
  readonly unusable?: readonly Unavailable[];
}

/** Options of `hub.start`. */
export interface StartOptions {
  /** The only client of this hub: servers are started with its capabilities, one process each. */
  readonly peer?: Peer | undefined;
}

/** A call to a tool of a server. */
export interface HubCall {
  readonly tool: Tool;
  readonly arguments: JsonObject;
  readonly origin?: Origin | undefined;
  /** Ends the wait, including the wait for the server's connection, with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressCallback | undefined;
  /** Further parameters of `tools/call`: `_meta`, `task`, and on the newer revision answers to the server's questions. */
  readonly params?: JsonObject | undefined;
  /** Whether a result may request input; otherwise the peer is asked. Only servers of the newer revision do this. @default false */
  readonly allowInputRequired?: boolean | undefined;
}

/** A request to a server that is forwarded unchanged. */
export interface HubRequest extends Outgoing, Pick<HubCall, 'origin' | 'signal' | 'onProgress' | 'allowInputRequired'> {
  readonly server: string;
}

/** A resource to follow. */
export interface FollowRequest {
  readonly server: string;
  readonly uri: string;
  readonly origin?: Origin | undefined;
}

/** What happens in a hub. */
export type HubEvent =
  /** The catalog, or the state of a server, may have changed. */
  | { readonly kind: 'server-change'; readonly server: string }
  /** Part of a server's list exceeds a limit, and is missing. */
  | { readonly kind: 'listing-cut'; readonly server: string; readonly reason: string }
  /** A tool was left out because of its definition. */
  | { readonly kind: 'tool-withheld'; readonly tool: string; readonly suspicion: Suspicion }
  | { readonly kind: 'definition-change'; readonly change: DefinitionChange }
  | { readonly kind: 'server-notification'; readonly notification: ServerNotification };

/**
 * The client in front of the hub, as servers may address it: one lasting connection. Each peer has its own connection
 * to every server it uses, so that what a server requests or sends reaches the right client and no other.
 */
export interface Peer {
  /** Exactly these are declared to servers. */
  readonly capabilities: ClientCapabilities;
  /** Forwards a server's request: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  request(request: PeerRequest, options: { readonly signal: AbortSignal }): Promise<JsonObject>;
  /** Forwards a server's notifications. */
  notify(notification: PeerRequest): void;
}

/** What a server sent on a connection without a client. */
export interface ServerNotification extends PeerRequest {
  /** The user of the connection; empty for the shared one. */
  readonly user: string;
}

/** A server's request to its client. */
export interface PeerRequest {
  readonly server: string;
  readonly method: string;
  readonly params: JsonObject;
}
