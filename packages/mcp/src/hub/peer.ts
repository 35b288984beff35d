import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '@quartermaster/core/catalog';

/**
 * The client in front of the hub, as far as servers may speak to it: one lasting connection. Each peer has its own connection
 * to every server it uses, so that what a server requests or sends reaches the client that it is meant for and no other.
 */
export interface Peer {
  /** Exactly these are declared to servers. */
  readonly capabilities: ClientCapabilities;
  /** Passes on what a server asks: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  request(request: PeerRequest, options: { readonly signal: AbortSignal }): Promise<JsonObject>;
  /** Passes on a server's notifications. */
  notify(notification: PeerRequest): void;
}

/** What a server sent on a connection without a client. */
export interface ServerNotification extends PeerRequest {
  /** The user whose connection it came on; empty for the shared one. */
  readonly user: string;
}

/** A request that a server makes of its client. */
export interface PeerRequest {
  readonly server: string;
  readonly method: string;
  readonly params: JsonObject;
}
