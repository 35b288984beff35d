import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ManyToolsServer {
  readonly url: string;
  /** The names of the tools that were called. */
  readonly called: readonly string[];
  close(): Promise<void>;
}

/** An MCP server over HTTP that lists any number of tools, a page at a time, and says which one was called. */
export async function manyToolsServer({
  tools,
  pageSize,
}: {
  readonly tools: number;
  readonly pageSize: number;
}): Promise<ManyToolsServer> {
  const called: string[] = [];
  const answers: Readonly<Record<string, (params: Params) => object>> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'many', version: '1' },
    }),
    'tools/list': ({ cursor = '0' }) => {
      const start = Number(cursor);
      const end = Math.min(start + pageSize, tools);
      const page = Array.from({ length: end - start }, (_, index) => definition(start + index));
      return { tools: page, ...(end < tools ? { nextCursor: String(end) } : {}) };
    },
    'tools/call': ({ name = '' }) => {
      called.push(name);
      return { content: [{ type: 'text', text: `ran ${name}` }] };
    },
  };
  const server: Server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(await readBody(request)) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    const result = answers[method]?.(params);
    const answer = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    called,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Params {
  readonly cursor?: string;
  readonly name?: string;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Params;
}

function definition(index: number): object {
  return {
    name: `operation_${index}`,
    description: `Runs operation ${index} of the plant.`,
    inputSchema: { type: 'object', properties: { note: { type: 'string', description: 'What to write down' } } },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
