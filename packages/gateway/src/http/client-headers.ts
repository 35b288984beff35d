import type { RequestContext } from './request-context.ts';

/**
 * What of a client's headers an upstream may get to see: all, for it to choose from; but where the credential is a key of this
 * gateway, that is no one else's to have.
 */
export function clientHeaders({ access, request }: RequestContext): Headers {
  if (access.owner === '') return request.headers;
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  headers.delete('x-api-key');
  return headers;
}
