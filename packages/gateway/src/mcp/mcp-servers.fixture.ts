import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createHub, type Hub, type HubOptions, type ServerSettings } from '@quartermaster/mcp';
import { onTestFinished } from 'vitest';

const require = createRequire(import.meta.url);
const EVERYTHING_SCRIPT: string = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** The server that shows everything the protocol has, as installed: a process of its own. */
export const EVERYTHING: ServerSettings = { command: process.execPath, args: [EVERYTHING_SCRIPT] };

/** The same on a port of this machine. Gives its origin. */
export async function listeningEverything(mode: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING_SCRIPT, mode], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += String(chunk);
      if (/listening|running on port/i.test(said)) resolve();
    });
    void ended.then(() => reject(new Error(`It ended: ${said}`)));
  });
  return `http://127.0.0.1:${port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface TestTool {
  readonly description?: string;
  readonly inputSchema?: object;
  /** The whole result, or its text. @default the tool's name and its input */
  readonly run?: (input: unknown, meta: object | undefined) => object | string | Promise<object | string>;
}

export type TestTools = Readonly<Record<string, TestTool>>;

/** A server of these tools for one connection. */
export function mcpServer(tools: TestTools): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  for (const [name, { description = `The tool ${name}`, inputSchema = ANYTHING, run }] of Object.entries(tools)) {
    const config = { description, inputSchema: fromJsonSchema(inputSchema as never) };
    server.registerTool(name, config, async (input: unknown, context) => {
      const result = (await run?.(input, context.mcpReq._meta)) ?? `${name} ${JSON.stringify(input)}`;
      return (typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result) as never;
    });
  }
  return server;
}

const ANYTHING = { type: 'object', properties: { text: { type: 'string' } } };

/** Settings of a server in this process, and every instance that was made of it. */
export function inProcess(tools: TestTools): ServerSettings & { readonly instances: McpServer[] } {
  const instances: McpServer[] = [];
  const create = (): McpServer => {
    const server = mcpServer(tools);
    instances.push(server);
    return server;
  };
  return { type: 'in-process', create, instances };
}

/** A hub that is closed when the test has finished. */
export function testHub(servers: HubOptions['servers'], options: Partial<HubOptions> = {}): Hub {
  const hub = createHub({ servers, ...options });
  onTestFinished(() => hub.close());
  return hub;
}

export interface ListeningMcpServer {
  readonly url: string;
  /** What arrived, in order. */
  readonly requests: readonly { readonly headers: Headers; readonly method: string }[];
}

/** Takes a request over, or leaves it to the server. */
export type TakeOver = (request: Request, method: string) => Response | Promise<Response> | undefined;

/** A server on a port of this machine. `answer` may take a request over. */
export async function listeningServer(
  tools: TestTools | (() => TestTools),
  answer: TakeOver = () => undefined,
): Promise<ListeningMcpServer> {
  const handler = createMcpHandler(() => mcpServer(typeof tools === 'function' ? tools() : tools));
  return listening(answer, (request) => handler.fetch(request));
}

/** The same of the older revision, where each connection is a session of its own. */
export async function sessionServer(
  tools: TestTools,
  answer: TakeOver = () => undefined,
): Promise<ListeningMcpServer & { readonly sessions: ReadonlySet<string> }> {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const sessions = new Set<string>();
  const server = await listening(answer, async (request) => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.add(id);
        transports.set(id, transport);
      },
    });
    await mcpServer(tools).connect(transport);
    return transport.handleRequest(request);
  });
  onTestFinished(async () => {
    await Promise.all([...transports.values()].map((transport) => transport.close()));
  });
  return { ...server, sessions };
}

async function listening(
  answer: TakeOver,
  handle: (request: Request) => Promise<Response>,
): Promise<ListeningMcpServer> {
  const requests: { headers: Headers; method: string }[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const body = (await request.clone().text()) || '{}';
    const method = String((JSON.parse(body) as { method?: string }).method);
    requests.push({ headers: request.headers, method });
    return answer(request, method) ?? handle(request);
  };
  const server = createAdaptorServer({ fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}
