/** The part of an OpenAI client that is needed: any of the SDK's, Azure's included. */
export interface OpenAIClient {
  withOptions(options: { fetch: typeof fetch }): unknown;
}

/** A client like the one given, whose requests go out through a `fetch` made around its own. */
export function withFetch<Client extends OpenAIClient>(
  client: Client,
  wrap: (send: typeof fetch) => typeof fetch,
): Client {
  const { fetch: send = globalThis.fetch } = client as { readonly fetch?: typeof fetch };
  return client.withOptions({ fetch: wrap(send) }) as Client;
}
