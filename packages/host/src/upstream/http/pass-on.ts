import { DIALECTS, type DialectName, type UpstreamClient } from '../dialect.ts';
import { withinDeadline } from '../internal/retry.ts';
import { HTTP_TIMEOUTS, type HttpUpstreamOptions } from './http-upstream-options.ts';
import { post, stepOf } from './post.ts';

/** A request that is forwarded to a host unchanged. */
export interface PassedRequest {
  readonly method: string;
  /** Relative to the host's address, with its query: `/v1/files?limit=10`. */
  readonly path: string;
  /** @default no body */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** The content type of the body. @default application/json */
  readonly contentType?: string;
}

/** Forwards a client's request to a host of this dialect, once, and answers as the host does. Throws what the host rejects. */
export async function passOn<D extends DialectName>(
  options: HttpUpstreamOptions<D>,
  request: PassedRequest,
  { signal, ...client }: UpstreamClient & { readonly signal: AbortSignal },
): Promise<Response> {
  const { wholeMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  // The base addresses of OpenAI's protocols contain the version.
  const isVersioned = !DIALECTS[options.dialect].endpoint.path.startsWith('/v1/');
  const path = isVersioned ? request.path.replace(/^\/v1(?=\/)/, '') : request.path;
  return withinDeadline(stepOf(options, signal), (deadline) => {
    deadline.allow(wholeMs, 'no answer');
    return post({ options, client }, { ...request, path, deadline });
  });
}
