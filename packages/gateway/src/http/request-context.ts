import type { Access, UsedUp } from '../access/index.ts';

/** One request while it is being answered. */
export interface RequestContext {
  readonly requestId: string;
  readonly request: Request;
  readonly access: Access;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** For metrics and logs. */
  readonly facts: RequestFacts;
}

interface RequestFacts {
  route: string;
  model?: string;
  upstream?: string;
  used?: UsedUp;
  /** The names of the tools that the response calls. */
  called?: readonly string[];
}

/**
 * What of a client's headers an upstream may get to see: all, for it to choose from; but where the credential is a key of this
 * gateway, it is left out.
 */
export function clientHeaders({ access, request }: RequestContext): Headers {
  if (access.owner === '') return request.headers;
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  headers.delete('x-api-key');
  return headers;
}
