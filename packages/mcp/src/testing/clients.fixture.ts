import {
  type ClientCapabilities,
  Client as ClientV2,
  InMemoryTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { ConnectOptions, McpProxy } from '../proxy/index.ts';

const INFO = { name: 'test-client', version: '1.0.0' };

/** The real clients that stand in front of the proxy: the older SDK, and the newer one speaking either revision. */
export type ClientLine = 'v1' | 'v2' | 'v2-modern';

export function createClient(line: ClientLine, capabilities: ClientCapabilities = {}): ClientV2 {
  // Where the two lines differ in types, they don't in what is sent.
  if (line === 'v1') return new ClientV1(INFO, { capabilities: capabilities as never }) as unknown as ClientV2;
  const mode: VersionNegotiationMode = line === 'v2' ? 'legacy' : { pin: '2026-07-28' };
  return new ClientV2(INFO, { capabilities, versionNegotiation: { mode } });
}

/** Connects a client to a proxy in this process. */
export async function connectClient(
  proxy: McpProxy,
  client: Pick<ClientV2, 'connect'>,
  options: ConnectOptions = {},
): Promise<void> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await proxy.connect(theirs, options);
  await client.connect(ours as Transport);
}

/** The text of a result's first block. */
export function textOf(result: { readonly content?: unknown }): string {
  const [first] = (result.content ?? []) as { readonly text?: string }[];
  return first?.text ?? '';
}
