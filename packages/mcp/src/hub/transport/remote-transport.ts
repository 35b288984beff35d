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
import { noteToken } from '../../oauth/index.ts';
import { signalIn } from '../../signal-in.ts';
import { isEventStream, limitBody } from './limit-body.ts';
import { errorAnswer } from './parse-message.ts';

export interface RemoteTransportOptions {
  readonly url: URL;
  /** Whether it is spoken to in the old way, over one stream that all answers come on. */
  readonly isSse: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** How long a request may take that the sign-in makes. */
  readonly signInTimeoutMs: number;
  /** The longest answer taken. @default 32 MiB */
  readonly maxBytes?: number;
}

const REMOTE_DEFAULTS: { readonly maxBytes: number } = { maxBytes: 32 * 1024 * 1024 };

/** How long notifying a server of the end of a session may take. */
const PARTING_MS = 2_000;

/** A server may ask to be asked again at once, for ever; or later than a timer can wait. */
const RECONNECT_MS = { least: 1_000, most: 60 * 60_000 };

const ENDED = 'The connection ended before the answer came';

/** A request that was sent. */
interface Sent {
  readonly id: RequestId;
  /** Whether it was answered or given up. */
  isOver: boolean;
  /** Whether its answer is to come on a stream. */
  isStreaming: boolean;
}

/**
 * A server on the network as a transport: the SDK's, which waits for an answer until the timeout also where none can come any more.
 * Here every request is answered as soon as that is known: with an error that says why.
 */
export class RemoteTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void) | undefined;
  readonly #options: RemoteTransportOptions;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #unanswered = new Map<RequestId, Sent>();
  /** Which request the network is used for. */
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
              // What was given up is not asked for again.
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
        // The SDK quotes an answer that no one waits for any more, and fails on one that nests too deep.
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
    const sent: Sent = { id: message.id, isOver: false, isStreaming: !this.hasPerRequestStream };
    this.#unanswered.set(sent.id, sent);
    options?.requestSignal?.addEventListener('abort', () => this.#forget(sent.id), { once: true });
    const onRequestStreamEnd = (): void => this.#answerFor(sent, ENDED);
    try {
      await this.#sending.run(sent, () => this.#deliver(message, { ...options, onRequestStreamEnd }));
    } catch (error) {
      this.#forget(sent.id);
      throw error;
    }
    // Either the answer has come with the response, or it is still to come on a stream.
    if (!sent.isStreaming) this.#answerFor(sent, 'The server accepted the request but did not answer it');
  }

  /** Tells the server, where there is a session, that it need not keep it any longer. It may be asked as the transport closes. */
  async terminateSession(): Promise<void> {
    if (this.#inner instanceof StreamableHTTPClientTransport) await this.#inner.terminateSession();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#inner.close();
  }

  #deliver(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!(this.#inner instanceof StreamableHTTPClientTransport)) return this.#inner.send(message);
    // The two types say the same, one of them with `undefined` spelt out.
    return this.#inner.send(message, options as Parameters<StreamableHTTPClientTransport['send']>[1]);
  }

  async #fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { fetch, maxBytes = REMOTE_DEFAULTS.maxBytes } = this.#options;
    const sent = this.#sending.getStore();
    const response = await fetch(input, { ...init, signal: this.#signalFor(init) });
    if (sent !== undefined && this.hasPerRequestStream) sent.isStreaming = isEventStream(response);
    const limited = limitBody(response, {
      maxBytes,
      onOverflow: ({ message }) => {
        if (sent !== undefined) this.#answerFor(sent, message);
        else if (isEventStream(response)) this.#endStream(message);
      },
    });
    return response.status === 401 ? noteToken(limited, new Headers(init.headers)) : limited;
  }

  #signalFor({ method, signal }: RequestInit): AbortSignal {
    const { clock, signInTimeoutMs } = this.#options;
    // The parting is the one request that outlives its transport, whose signal ends all others.
    if (method === 'DELETE') return signalIn(PARTING_MS, clock);
    if (signal !== undefined && signal !== null) return signal;
    // Only the sign-in asks without a signal.
    const late = new Error(`The sign-in got no answer within ${signInTimeoutMs / 1000} s`);
    return AbortSignal.any([this.#closing.signal, signalIn(signInTimeoutMs, clock, late)]);
  }

  #fail(error: Error): void {
    this.onerror?.(error);
    if (error instanceof SseError) this.#endStream(ENDED);
  }

  /** The one stream of the old way is its session: what was asked is not answered on the next one, where the server is to be greeted first. */
  #endStream(reason: string): void {
    if (this.hasPerRequestStream || !this.#isOpen) return;
    this.#isOpen = false;
    for (const sent of [...this.#unanswered.values()]) this.#answerFor(sent, reason);
    void this.close();
  }

  /** No one waits for its answer any more. */
  #forget(id: unknown): void {
    const sent = this.#unanswered.get(id as RequestId);
    if (sent === undefined) return;
    sent.isOver = true;
    this.#unanswered.delete(sent.id);
  }

  /** An error in place of an answer that won't come. */
  #answerFor(sent: Sent, reason: string): void {
    if (sent.isOver) return;
    this.#forget(sent.id);
    this.onmessage?.(errorAnswer(sent.id, reason));
  }
}
