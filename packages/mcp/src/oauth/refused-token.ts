const tokens = new WeakMap<Response, string>();

/** Remembers which token a request used: another may be in use by the time its refusal is read. */
export function noteToken(response: Response, headers: Headers): Response {
  const [, token] = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) tokens.set(response, token);
  return response;
}

/** The token of the request with this answer. Undefined if it had none. */
export function refusedToken(response: Response): string | undefined {
  return tokens.get(response);
}
