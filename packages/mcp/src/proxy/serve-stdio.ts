import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { checkOptionNames, defined } from '@quartermaster/core/internal';
import type { Access, McpProxy, ProxyConnection } from './mcp-proxy.ts';

/** Options of `serveStdio`. */
export interface ServeStdioOptions {
  readonly access?: Access;
  /** @default process.stdin */
  readonly input?: Readable;
  /** Nothing else may be written to it. @default process.stdout */
  readonly output?: Writable;
}

/** Serves the one client at the other end of this process's pipes. All servers are started for it. */
export function serveStdio(proxy: McpProxy, options: ServeStdioOptions = {}): Promise<ProxyConnection> {
  checkOptionNames('serveStdio', options, 'access input output');
  const { access, input = process.stdin, output = process.stdout } = options;
  const transport = new BoundedTransport(input, output, { maxBufferSize: MOST_BYTES_IN });
  return proxy.connect(transport, { isSole: true, ...defined({ access }) });
}

/** The longest accepted message; a longer one ends the connection. */
const MOST_BYTES_IN = 32 * 1024 * 1024;

/** SDK clients end the connection, and with it every server's, if more than 10 MiB arrive before the end of a line; the next bytes count too. */
const MOST_BYTES_OUT = 10_000_000;

/** Sends nothing that would end the client's connection, and answers every request, even if the real answer can't be sent. */
class BoundedTransport extends StdioServerTransport {
  override async send(message: JSONRPCMessage): Promise<void> {
    let problem: string;
    try {
      const bytes = Buffer.byteLength(JSON.stringify(message));
      if (bytes <= MOST_BYTES_OUT) return await super.send(message);
      problem = `has ${bytes} bytes, more than the ${MOST_BYTES_OUT} that clients take; ask for less at once`;
    } catch (error) {
      // Parsed JSON can't be serialized again if it is nested too deeply.
      if (!(error instanceof RangeError)) throw error;
      problem = 'nests too deeply to be sent';
    }
    if ('method' in message || message.id === undefined) throw new Error(`The message ${problem}`);
    const error = { code: ProtocolErrorCode.InternalError, message: `The result ${problem}` };
    return super.send({ jsonrpc: '2.0', id: message.id, error });
  }
}
