import { randomUUID } from 'node:crypto';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface SessionServer {
  /** The server as the network. */
  readonly fetch: typeof globalThis.fetch;
  /** Every session that was begun, in order. */
  readonly sessions: readonly string[];
  /** Every session that the client has ended. */
  readonly ended: readonly string[];
  /** What was posted, in order, and what it was answered with. */
  readonly posted: readonly Posted[];
  /** What ends each stream of notifications that was asked for, in order. */
  readonly streams: readonly AbortSignal[];
  /** From now on every session so far is unknown. What is under way goes on. */
  forget(): void;
}

export interface Posted {
  readonly method: string;
  readonly session: string | undefined;
  readonly status: number;
}

export interface SessionServerOptions {
  /** What each tool does, by name. Read again for every session. */
  readonly tools: () => Readonly<Record<string, () => string | Promise<string>>>;
  /** A tool's description, read again for every session. @default the same one always */
  readonly describe?: (tool: string) => string;
  /** The status of a request that is refused before the server sees it. @default none is */
  readonly refuse?: (request: { readonly method: string; readonly session: string | undefined }) => number | undefined;
}

/** A server of the older revision over HTTP, where each connection is a session that the server may forget. */
export function sessionServer(options: SessionServerOptions): SessionServer {
  const { refuse = () => undefined } = options;
  let known = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const sessions: string[] = [];
  const ended: string[] = [];
  const posted: Posted[] = [];
  const streams: AbortSignal[] = [];
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.push(id);
        known.set(id, transport);
      },
      onsessionclosed: (id) => void ended.push(id),
    });
    await createServer(options).connect(transport);
    return transport;
  };
  const answer = async (request: Request, session: string | undefined): Promise<Response> => {
    if (session === undefined) return (await begin()).handleRequest(request);
    return known.get(session)?.handleRequest(request) ?? notFound();
  };
  return {
    sessions,
    ended,
    posted,
    streams,
    forget() {
      known = new Map();
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      const session = request.headers.get('mcp-session-id') ?? undefined;
      if (request.method === 'GET') streams.push(request.signal);
      if (request.method !== 'POST') return answer(request, session);
      const { method } = (await request.clone().json()) as { method: string };
      const status = refuse({ method, session });
      const response = status === undefined ? await answer(request, session) : new Response('Refused', { status });
      posted.push({ method, session, status: response.status });
      return response;
    },
  };
}

function createServer({ tools, describe = (name) => `The tool ${name}` }: SessionServerOptions): McpServer {
  const server = new McpServer({ name: 'sessions', version: '1.0.0' });
  for (const [name, run] of Object.entries(tools())) {
    server.registerTool(name, { description: describe(name), inputSchema: z.object({}) }, async () => ({
      content: [{ type: 'text', text: await run() }],
    }));
  }
  return server;
}

function notFound(): Response {
  const error = { code: -32_001, message: 'Session not found' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
