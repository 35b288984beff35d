import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '@quartermaster/core/catalog';

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
