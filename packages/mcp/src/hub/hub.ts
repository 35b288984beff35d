import type { ProgressCallback } from '@modelcontextprotocol/client';
import type { Snapshot, Tool } from '@quartermaster/core';
import type { JsonObject, PolicyRules } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { TokenOwner } from '../store/index.ts';
import type { Connection, Outgoing } from './connection/index.ts';
import type { Peer, ServerNotification } from './peer.ts';
import type { Origin } from './server-connections.ts';
import type { ServerSettings } from './server-settings.ts';
import type { ServerStatus, ServerSummary } from './server-status.ts';
import type { DefinitionChange, Suspicion } from './trust/index.ts';

/** A client of many servers: one catalog, one way to call. */
export interface Hub {
  /**
   * Begins. Servers that were listed before wait for their first use; the others are started. Resolves when each has
   * answered or failed. Beginning again waits for the same.
   */
  start(options?: StartOptions): Promise<void>;
  /** Resolves when this server has answered or failed, or is known from before. Begins where nothing has begun. */
  started(server: string): Promise<void>;
  /** Every tool that can be used now, in the order of the configuration. The same value until something changes. */
  snapshot(): Snapshot;
  /** The servers in the order of the configuration, and what each said about itself when it was last connected. */
  servers(): readonly ServerSummary[];
  /** How each is doing, for people. */
  status(): readonly ServerStatus[];
  /** Servers whose tools, or some of them, can't be used, and why: for answers to searches. */
  unavailable(): readonly Unavailable[];
  /** Calls a tool, starting its server if need be. The result is what the server sent, `isError` and all. */
  call(call: HubCall): Promise<JsonObject>;
  /** Sends any other request to a server. */
  request(request: HubRequest): Promise<JsonObject>;
  /**
   * Hears of changes to a resource from now on, whatever revision the server speaks and however often it is started again: by
   * `notifications/resources/updated`, for the peer or as an event. Resolves to what ends it.
   */
  follow(request: FollowRequest): Promise<() => void>;
  /** Connects to a server, for a request that depends on what it is. */
  connect(server: string, origin?: Origin): Promise<Connection>;
  /** Sends servers a notification, if the peer has an open connection. */
  notify(peer: Peer, notification: Outgoing): void;
  /** The connections that a peer has open. */
  connections(peer: Peer): readonly Connection[];
  /** Ends a peer's connections. */
  release(peer: Peer): Promise<void>;
  /** What is suspicious about a tool's definition, whatever it leads to; nothing where `findings` is `off`. */
  findings(tool: Tool): readonly Suspicion[];
  /** Accepts the current definitions of changed tools. `*` matches any text. */
  accept(toolPatterns: readonly string[]): Promise<void>;
  /**
   * Starts a user's sign-in to a server and returns where they have to go. Undefined if it has none, or none can start here.
   * It comes back to `redirectUrl`, whose handler calls `finishSignIn`; by default to the address that the OAuth client was
   * made with.
   */
  beginSignIn(server: string, user?: string, redirectUrl?: string): Promise<string | undefined>;
  /** Resolves when the user has signed in at a server, here or in another process; rejects with the signal's reason. */
  untilSignedIn(
    server: string,
    options: { readonly user?: string | undefined; readonly signal: AbortSignal },
  ): Promise<void>;
  /** The servers that a user signs in at, and whether they have. */
  signIns(user?: string): Promise<readonly SignInState[]>;
  /** Accepts one changed definition, if its hash is still this one. Returns whether it was. */
  acceptChange(change: Pick<DefinitionChange, 'tool' | 'hash'>): Promise<boolean>;
  /**
   * Ends a sign-in with what the authorization server sent to the redirect address, and connects. Where to begin one is in the
   * error of a call that needs it: `authorization_required`, with `context.authorizationUrl`.
   */
  finishSignIn(callback: URLSearchParams): Promise<TokenOwner>;
  /** Tries a server that can't be reached again at once, without the pause that is left. */
  retry(server: string, origin?: Pick<Origin, 'user'>): Promise<void>;
  /** Other rules on when tools may be deferred, from now on. */
  setPolicies(policies: PolicyRules): void;
  /** Takes another set of servers: those that are new are started, those that are gone are ended, those that changed are both. */
  reconfigure(next: HubServers): Promise<void>;
  subscribe(listener: (event: HubEvent) => void): () => void;
  /** Ends every connection and every process. */
  close(): Promise<void>;
}

/** Whether a user is signed in to a server. */
export interface SignInState {
  readonly server: string;
  readonly isSignedIn: boolean;
}

/** The servers of a hub. */
export interface HubServers {
  /** By name, as in the usual `mcpServers` block. */
  readonly servers: Readonly<Record<string, ServerSettings>>;
  /** Servers that are configured and can't be used, and why: named in answers to searches and in the status. @default none */
  readonly unusable?: readonly Unavailable[];
}

/** Options of `hub.start`. */
export interface StartOptions {
  /** The one client that this hub is for: servers are started with its capabilities, one process each. */
  readonly peer?: Peer | undefined;
}

/** A call to a tool of a server. */
export interface HubCall {
  readonly tool: Tool;
  readonly arguments: JsonObject;
  readonly origin?: Origin | undefined;
  /** Ends the waiting, for the server's connection too, with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressCallback | undefined;
  /** Further parameters of `tools/call`: `_meta`, `task`, and on the newer revision answers to what the server asked. */
  readonly params?: JsonObject | undefined;
  /** Whether a result may ask for input; otherwise the peer is asked. Only servers of the newer revision do. @default false */
  readonly allowInputRequired?: boolean | undefined;
}

/** A request to a server that is passed on as it is. */
export interface HubRequest extends Outgoing, Pick<HubCall, 'allowInputRequired'> {
  readonly server: string;
  readonly origin?: Origin | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressCallback | undefined;
}

/** A resource to follow. */
export interface FollowRequest {
  readonly server: string;
  readonly uri: string;
  readonly origin?: Origin | undefined;
}

/** What happens in a hub. */
export type HubEvent =
  /** The catalog, or how a server is doing, may have changed. */
  | { readonly kind: 'server-change'; readonly server: string }
  /** Some of what a server lists is past a limit, and missing. */
  | { readonly kind: 'listing-cut'; readonly server: string; readonly reason: string }
  /** A tool is left out for what its definition holds. */
  | { readonly kind: 'tool-withheld'; readonly tool: string; readonly suspicion: Suspicion }
  | { readonly kind: 'definition-change'; readonly change: DefinitionChange }
  | { readonly kind: 'server-notification'; readonly notification: ServerNotification };
