import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { defined, tryParseJson } from '@quartermaster/core/internal';

/** Sends a request in place of the client's. */
export type Ask<Request> = (request: Request, signal?: AbortSignal) => Promise<Response>;

/** Several requests with the address and the headers of the client's, each with its own body. */
export function resend<Request, Init extends RequestInit>(
  init: Init,
  send: (init: Init & { readonly headers: Headers }) => Promise<Response>,
): Ask<Request> {
  let round = 0;
  return (request, signal) => {
    round += 1;
    const headers = new Headers(init.headers);
    headers.delete('content-length');
    // An idempotency key must not be on two different requests.
    const key = headers.get('idempotency-key');
    if (key !== null && round > 1) headers.set('idempotency-key', `${key}-${round}`);
    return send({ ...init, headers, body: JSON.stringify(request), ...defined({ signal }) });
  };
}

/** A request's body. Undefined if it is not a JSON object: the host has the better error message. */
export function readJsonBody(body: unknown): JsonObject | undefined {
  if (typeof body !== 'string') return undefined;
  const value = tryParseJson(body);
  return isJsonObject(value) ? value : undefined;
}
