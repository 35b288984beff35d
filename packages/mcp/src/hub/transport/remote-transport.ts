import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AuthProvider,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { type Clock, defined } from '@quartermaster/core/internal';
import { LIST_FACTOR, MESSAGE_VALUES } from '../../json-meter.ts';
import { noteToken } from '../../oauth/index.ts';
import { signalIn } from '../../signal-in.ts';
import { isEventStream, limitBody } from './limit-body.ts';
import { errorAnswer } from './parse-message.ts';

export interface RemoteTransportOptions {
  readonly url: URL;
  /** Whether it uses the older protocol, where all answers arrive on one stream. */
  readonly isSse: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Time limit of a request that the sign-in makes. */
  readonly signInTimeoutMs: number;
  /** The longest accepted answer. @default 32 MiB */
  readonly maxBytes?: number;
  /** How many JSON values an answer or an event may have, a list of tools excepted. @default 200_000 */
  readonly maxValues?: number | undefined;
}

const REMOTE_DEFAULTS: { readonly maxBytes: number } = { maxBytes: 32 * 1024 * 1024 };

/** Time limit for telling a server that the session ends. */
const PARTING_MS = 2_000;

/** Limits a server's retry delay: it may ask for none at all, or for more than a timer can wait. */
const RECONNECT_MS = { least: 1_000, most: 60 * 60_000 };

const ENDED = 'The connection ended before the answer came';

/** A request that was sent. */
interface Sent {
  readonly id: RequestId;
  readonly method: string;
  /** Whether it was answered or abandoned. */
  isOver: boolean;
  /** Whether its answer will arrive on a stream. */
  isStreaming: boolean;
}

/**
 * A server on the network as a transport: the SDK's, which waits for the timeout even if no answer can arrive any more.
 * Here every request is answered as soon as that is known, with an error that gives the reason.
 */
export class RemoteTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void) | undefined;
  readonly #options: RemoteTransportOptions;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #unanswered = new Map<RequestId, Sent>();
  /** The request that the network is used for. */
  readonly #sending = new AsyncLocalStorage<Sent | undefined>();
  readonly #closing = new AbortController();
  #isOpen = false;

  constructor(options: RemoteTransportOptions) {
    const { url, isSse, headers, authProvider, clock } = options;
    this.#options = options;
    const common = {
      requestInit: { headers: { ...headers } },
      ...defined({ authProvider }),
      fetch: (input: string | URL | Request, init?: RequestInit) => this.#fetch(input, init),
    };
    this.#inner = isSse
      ? new SSEClientTransport(url, common)
      : new StreamableHTTPClientTransport(url, {
          ...common,
          reconnectionScheduler: (reconnect, delayMs) => {
            const sent = this.#sending.getStore();
            return clock.after(Math.min(Math.max(delayMs, RECONNECT_MS.least), RECONNECT_MS.most), () => {
              // An abandoned request is not repeated.
              if (sent?.isOver !== true) reconnect();
            });
          },
        });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.#fail(error);
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (!('method' in message) && message.id !== undefined) this.#forget(message.id);
      try {
        this.onmessage?.(message, extra);
      } catch (error) {
        // The SDK quotes answers that no one waits for, and fails on one that is nested too deeply.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    };
  }

  get sessionId(): string | undefined {
    return this.#inner instanceof StreamableHTTPClientTransport ? this.#inner.sessionId : undefined;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner instanceof StreamableHTTPClientTransport;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    await this.#inner.start();
    this.#isOpen = true;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    // The end of the stream is reported elsewhere.
    if (!('method' in message && 'id' in message) || options?.onRequestStreamEnd !== undefined) {
      if ('method' in message && message.method === 'notifications/cancelled') this.#forget(message.params?.requestId);
      return this.#sending.run(undefined, () => this.#deliver(message, options));
    }
    const sent: Sent = {
      id: message.id,
      method: message.method,
      isOver: false,
      isStreaming: !this.hasPerRequestStream,
    };
    this.#unanswered.set(sent.id, sent);
    options?.requestSignal?.addEventListener('abort', () => this.#forget(sent.id), { once: true });
    const onRequestStreamEnd = (): void => this.#answerFor(sent, ENDED);
    try {
      await this.#sending.run(sent, () => this.#deliver(message, { ...options, onRequestStreamEnd }));
    } catch (error) {
      this.#forget(sent.id);
      throw error;
    }
    // The answer either came with the response, or will arrive on a stream.
    if (!sent.isStreaming) this.#answerFor(sent, 'The server accepted the request but did not answer it');
  }

  /** Tells the server that it can drop the session, if there is one. May be called while the transport closes. */
  async terminateSession(): Promise<void> {
    if (this.#inner instanceof StreamableHTTPClientTransport) await this.#inner.terminateSession();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#inner.close();
  }

  #deliver(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!(this.#inner instanceof StreamableHTTPClientTransport)) return this.#inner.send(message);
    // The two types are the same, except that one spells out `undefined`.
    return this.#inner.send(message, options as Parameters<StreamableHTTPClientTransport['send']>[1]);
  }

  async #fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { fetch, isSse, maxBytes = REMOTE_DEFAULTS.maxBytes, maxValues = MESSAGE_VALUES } = this.#options;
    const sent = this.#sending.getStore();
    const response = await fetch(input, { ...init, signal: this.#signalFor(init) });
    if (sent !== undefined && this.hasPerRequestStream) sent.isStreaming = isEventStream(response);
    // In the old way every answer comes on one stream, lists among them.
    const isList = isSse || sent?.method.endsWith('/list') === true;
    const limited = limitBody(response, {
      maxBytes,
      maxValues: isList ? maxValues * LIST_FACTOR : maxValues,
      onOverflow: ({ message }) => {
        if (sent !== undefined) this.#answerFor(sent, message);
        else if (isEventStream(response)) this.#endStream(message);
      },
    });
    return response.status === 401 ? noteToken(limited, new Headers(init.headers)) : limited;
  }

  #signalFor({ method, signal }: RequestInit): AbortSignal {
    const { clock, signInTimeoutMs } = this.#options;
    // The final DELETE is the only request that outlives its transport, whose signal ends all others.
    if (method === 'DELETE') return signalIn(PARTING_MS, clock);
    if (signal !== undefined && signal !== null) return signal;
    // Only the sign-in sends requests without a signal.
    const late = new Error(`The sign-in got no answer within ${signInTimeoutMs / 1000} s`);
    return AbortSignal.any([this.#closing.signal, signalIn(signInTimeoutMs, clock, late)]);
  }

  #fail(error: Error): void {
    this.onerror?.(error);
    if (error instanceof SseError) this.#endStream(ENDED);
  }

  /** The stream of the older protocol is its session: no answer arrives on the next one, which needs its own handshake first. */
  #endStream(reason: string): void {
    if (this.hasPerRequestStream || !this.#isOpen) return;
    this.#isOpen = false;
    for (const sent of [...this.#unanswered.values()]) this.#answerFor(sent, reason);
    void this.close();
  }

  /** The caller no longer waits for its answer. */
  #forget(id: unknown): void {
    const sent = this.#unanswered.get(id as RequestId);
    if (sent === undefined) return;
    sent.isOver = true;
    this.#unanswered.delete(sent.id);
  }

  /** An error in place of an answer that will not arrive. */
  #answerFor(sent: Sent, reason: string): void {
    if (sent.isOver) return;
    this.#forget(sent.id);
    this.onmessage?.(errorAnswer(sent.id, reason));
  }
}
