import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Access, McpProxy, ProxyConnection } from './mcp-proxy.ts';

export interface ServeStdioOptions {
  readonly access?: Access;
  /** @default process.stdin */
  readonly input?: Readable;
  /** Nothing else may be written there. @default process.stdout */
  readonly output?: Writable;
}

/** Serves the one client at the other end of this process's pipes, for whom all servers are started. */
export function serveStdio(proxy: McpProxy, options: ServeStdioOptions = {}): Promise<ProxyConnection> {
  const { access, input = process.stdin, output = process.stdout } = options;
  const transport = new StdioServerTransport(input, output);
  return proxy.connect(transport, { isSole: true, ...(access === undefined ? {} : { access }) });
}
