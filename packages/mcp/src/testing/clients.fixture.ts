import {
  type ClientCapabilities,
  Client as ClientV2,
  InMemoryTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { ConnectOptions, McpProxy, StartWaits } from '../proxy/index.ts';

/** The real clients that stand in front of the proxy: the older SDK, and the newer one speaking either revision. */
export type ClientLine = 'v1' | 'v2' | 'v2-modern';

export function createClient(line: ClientLine, capabilities: ClientCapabilities = {}, name = 'test-client'): ClientV2 {
  const info = { name, version: '1.0.0' };
  // Where the two lines differ in types, they don't in what is sent.
  if (line === 'v1') return new ClientV1(info, { capabilities: capabilities as never }) as unknown as ClientV2;
  const mode: VersionNegotiationMode = line === 'v2' ? 'legacy' : { pin: '2026-07-28' };
  return new ClientV2(info, { capabilities, versionNegotiation: { mode } });
}

/** For proxies in front of processes, which may be slow to start: everything waits until all servers are there. */
export const PATIENT: Required<StartWaits> = { greetingMs: 60_000, listMs: 60_000, callMs: 60_000 };

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
