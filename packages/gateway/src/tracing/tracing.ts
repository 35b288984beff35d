import type { GatewayEvent } from '../events/index.ts';
import type { AskObserver } from '../exchange/index.ts';

/** Spans of what a gateway does: requests, searches, calls to models and to tools. `begin` of the observer traces a call to a model. */
export interface Tracing extends AskObserver {
  /** A request has arrived. Its span continues the trace in its headers, and ends with the request. */
  beginRequest(request: TracedRequest): void;
  /** The request produced nothing. */
  dropRequest(requestId: string): void;
  /** Searches, and the ends of requests. */
  onEvent(event: GatewayEvent): void;
  /** A call to a tool of an MCP server begins. */
  beginCall(call: {
    readonly requestId: string | undefined;
    readonly tool: string;
    readonly server: string;
    /** The `_meta` of the client's call. Its trace continues unless the request is in one. */
    readonly sent?: { readonly [key: string]: unknown } | undefined;
  }): TracedCall;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

export interface TracedRequest {
  readonly requestId: string;
  /** As in logs and metrics. */
  readonly route: string;
  /** Absent for work without a client, such as a batch item. */
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Headers;
}

export interface TracedCall {
  /** The trace as sent in `_meta`. */
  readonly meta: Readonly<Record<string, string>>;
  end(isError: boolean): void;
}
