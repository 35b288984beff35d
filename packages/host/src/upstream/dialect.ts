import type { Upstream } from '@quartermaster/core/loop';
import type { Dialect } from '@quartermaster/wires/dialect';
import * as registered from './dialects.ts';
import type { ModelCodec } from './model/model-codec.ts';

/** A protocol that is served: its definition, and how it becomes a call to any AI SDK provider. */
export interface ServedDialect<Request, Part, Response, Name extends string>
  extends Dialect<Request, Part, Response, Name> {
  readonly codec: ModelCodec<Request, Part>;
}

type Registered = typeof registered;

/** A protocol that clients speak to us, and that an upstream therefore speaks towards us, whatever is behind it. */
export type DialectName = keyof Registered;

type ShapesOf<Name extends DialectName> = NonNullable<Registered[Name]['shapes']>;
/** A dialect's request body. */
export type RequestOf<Name extends DialectName> = ShapesOf<Name>['request'];
/** One part of a dialect's stream. */
export type PartOf<Name extends DialectName> = ShapesOf<Name>['part'];
/** A dialect's whole response. */
export type ResponseOf<Name extends DialectName> = ShapesOf<Name>['response'];
/** The dialect of a name. */
export type DialectOf<Name extends DialectName> = ServedDialect<RequestOf<Name>, PartOf<Name>, ResponseOf<Name>, Name>;

/** All dialects by name. */
export type Dialects = { readonly [Name in DialectName]: DialectOf<Name> };

/** All dialects by name. */
export const DIALECTS: Dialects = registered;

/** An upstream of one dialect, streaming and not. Knows nothing about tool search. */
export interface DialectUpstream<Name extends DialectName> {
  readonly dialect: Name;
  /** Its name in core's table of transports, which says what it can carry. */
  readonly transport: string;
  /** Whether a request may also be a `WrittenRequest`. @default false */
  readonly takesWritten?: boolean;
  /**
   * The parts of a response as they arrive. Throws an `UpstreamError`, a `RequestError` for what can't be sent, or the signal's
   * reason.
   */
  readonly stream: Upstream<RequestOf<Name>, PartOf<Name>>;
  /** One whole response. */
  readonly whole: (request: RequestOf<Name>, signal: AbortSignal) => Promise<ResponseOf<Name>>;
  /** The same upstream for one client: with what the client sent besides its body. */
  forClient(client: UpstreamClient): DialectUpstream<Name>;
}

/** What an upstream knows about the client, and reports for it. */
export interface UpstreamClient {
  /** The client's headers. An upstream uses those that its API reads (versions, betas), and credentials only if configured. */
  readonly headers?: Headers;
  /** The id of the client's request, for logs and traces. */
  readonly requestId?: string;
  /** Called with each answer's status and headers: request ids, rate limits. */
  readonly onResponse?: (response: { readonly status: number; readonly headers: Headers }) => void;
  /** Whether an earlier round was answered: the client is then reading a stream and can't repeat its request. @default false */
  readonly hasBegun?: () => boolean;
}
