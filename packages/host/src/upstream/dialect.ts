import type { Upstream, Whole } from '@quartermaster/core/loop';
import {
  type AnthropicEvent,
  type AnthropicRequest,
  type AnthropicResponse,
  anthropicWhole,
} from '@quartermaster/wires/anthropic';
import { type ChatChunk, type ChatCompletion, type ChatRequest, chatWhole } from '@quartermaster/wires/openai-chat';
import {
  type ResponsesEvent,
  type ResponsesRequest,
  type ResponsesResponse,
  responsesWhole,
} from '@quartermaster/wires/openai-responses';

/** A protocol that clients speak to us, and that an upstream therefore speaks towards us, whatever stands behind it. */
export type Dialect = 'anthropic' | 'openai-chat' | 'openai-responses';

export interface DialectShapes {
  readonly anthropic: {
    readonly request: AnthropicRequest;
    readonly part: AnthropicEvent;
    readonly response: AnthropicResponse;
  };
  readonly 'openai-chat': {
    readonly request: ChatRequest;
    readonly part: ChatChunk;
    readonly response: ChatCompletion;
  };
  readonly 'openai-responses': {
    readonly request: ResponsesRequest;
    readonly part: ResponsesEvent;
    readonly response: ResponsesResponse;
  };
}

export type RequestOf<D extends Dialect> = DialectShapes[D]['request'];
export type PartOf<D extends Dialect> = DialectShapes[D]['part'];
export type ResponseOf<D extends Dialect> = DialectShapes[D]['response'];

/** An upstream of one dialect, streaming and not. Knows nothing of tool search. */
export interface DialectUpstream<D extends Dialect> {
  readonly dialect: D;
  /** What it is called in core's table of transports, which says what it can carry. */
  readonly transport: string;
  /**
   * The parts of a response as they come. Throws an `UpstreamError`, a `RequestError` for what can't be sent, or the signal's
   * reason.
   */
  readonly stream: Upstream<RequestOf<D>, PartOf<D>>;
  /** One whole response. */
  readonly whole: (request: RequestOf<D>, signal: AbortSignal) => Promise<ResponseOf<D>>;
  /** The same upstream on behalf of one client: what the client sent beside its body goes along. */
  forClient(client: UpstreamClient): DialectUpstream<D>;
}

/** What an upstream is told of the client, and tells for it. */
export interface UpstreamClient {
  /** The client's headers. An upstream takes those that its API reads (versions, betas), never credentials unless told so. */
  readonly headers?: Headers;
  /** Called with each answer's status and headers: request ids, rate limits. */
  readonly onResponse?: (response: { readonly status: number; readonly headers: Headers }) => void;
}

/** How each dialect takes a whole response apart and puts it together. */
export const WHOLES: { readonly [D in Dialect]: Whole<ResponseOf<D>, PartOf<D>> } = {
  anthropic: anthropicWhole,
  'openai-chat': chatWhole,
  'openai-responses': responsesWhole,
};
