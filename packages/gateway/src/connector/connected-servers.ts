import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import { type ArgumentChecker, parseArguments } from '@quartermaster/core/dispatch';
import { cutText } from '@quartermaster/core/internal';
import type { McpConnectorSettings } from '@quartermaster/host/config';
import { ApiError } from '../http/index.ts';
import type { Tracing } from '../tracing/index.ts';
import type { AddressRules } from './address-rules.ts';
import type { RequestedServer } from './connector-request.ts';
import type { OpenedServer, ServerPool } from './server-pool.ts';
import { type CallResult, errorResult, writeResult } from './write-result.ts';

/** The servers of one request, connected on demand. */
export interface ConnectedServers {
  /** Throws the client's error if a server can't be asked. */
  list(server: string): Promise<ListedServer>;
  /** Throws only for an aborted signal; other failures are results for the model. */
  call(call: ConnectedCall): Promise<CallResult>;
}

interface ConnectedCall {
  readonly tool: Tool;
  /** The model's name for the tool. */
  readonly modelName: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export interface ListedServer {
  readonly tools: readonly Tool[];
  /** The server itself, if some of its tools can't be used. */
  readonly unavailable: readonly Unavailable[];
}

/** What calls to servers need besides their request. */
export interface CallOptions {
  readonly settings: McpConnectorSettings;
  readonly now: () => number;
  /** Traces a call to a server. @default no tracing */
  readonly beginCall?: Tracing['beginCall'] | undefined;
  /** Called after every call to a server. */
  onCall(call: ServerCall): void;
}

export interface ConnectOptions extends CallOptions {
  readonly servers: readonly RequestedServer[];
  /** Whose request it is: nothing is shared with others. */
  readonly owner: string;
  readonly requestId?: string | undefined;
  readonly rules: AddressRules;
  /** Where their connections are, and who closes them. */
  readonly pool: ServerPool;
  readonly checkArguments: ArgumentChecker;
}

/** The outcome of a call. The server is named by the pattern that allows it: its own name and address belong to its client. */
export interface ServerCall {
  readonly pattern: string;
  /** Whose request it is, and which one. */
  readonly owner: string;
  readonly requestId?: string | undefined;
  readonly tool: string;
  readonly isError: boolean;
  readonly durationMs: number;
}

/** Refuses addresses that may not be connected to; connects on demand. */
export function connectServers(options: ConnectOptions): ConnectedServers {
  const { servers, owner, requestId, settings, rules, pool, checkArguments, now, onCall } = options;
  for (const [index, { url }] of servers.entries()) {
    if (rules.find(url) !== undefined) continue;
    const message = `mcp_servers.${index}.url: this gateway does not connect to ${url.protocol}//${url.host}`;
    throw new ApiError(400, message.slice(0, 400));
  }
  const patternOf = (name: string): string => {
    const server = servers.find((one) => one.name === name);
    return (server === undefined ? undefined : rules.find(server.url)?.pattern) ?? 'other';
  };
  const open = (name: string): OpenedServer =>
    pool.open(servers.find((one) => one.name === name) ?? failUnknown(name), owner);

  return {
    async list(name) {
      const { hub, status } = open(name);
      await hub.start();
      pool.signal.throwIfAborted();
      const { tools } = hub.snapshot();
      const unavailable = hub.unavailable();
      const [down] = unavailable;
      if (down !== undefined && tools.length === 0) throw unreachable(name, status() ?? down.reason);
      return { tools, unavailable };
    },
    async call({ tool, modelName, input, signal }) {
      const name = tool.server ?? '';
      const startedAt = now();
      let server: OpenedServer | undefined;
      let traced: ReturnType<Tracing['beginCall']> | undefined;
      const told = (result: CallResult): CallResult => {
        traced?.end(result.isError);
        onCall({
          ...{ pattern: patternOf(name), owner, requestId, tool: modelName },
          ...{ isError: result.isError, durationMs: now() - startedAt },
        });
        return result;
      };
      try {
        const sent = readInput(input);
        if (sent === undefined)
          return errorResult('The arguments are not a JSON object; send one that fits the schema');
        const check = checkArguments(tool, sent);
        if (check.kind === 'wrong') return errorResult(describeProblems(check.problems));
        traced = options.beginCall?.({ requestId, tool: tool.name, server: patternOf(name) });
        const params = traced === undefined ? {} : { params: { _meta: { ...traced.meta } } };
        const call = { tool, arguments: check.arguments ?? sent, signal, ...params };
        server = open(name);
        return told(writeResult(await server.hub.call(call), settings.resultBytes));
      } catch (error) {
        if (signal.aborted) {
          traced?.end(true);
          throw signal.reason;
        }
        const reason = server?.status() ?? oneLine(error);
        return told(errorResult(`The call to MCP server '${name}' failed: ${reason}`));
      }
    },
  };
}

function unreachable(server: string, reason: string): ApiError {
  const kind = reason.includes('refused the authorization') ? 'Authentication' : 'Connection';
  return new ApiError(400, `${kind} error while communicating with MCP server '${server}': ${reason}`);
}

function failUnknown(name: string): never {
  throw new Error(`The request has no server ${name}`);
}

/** Models send objects; some send them as text. */
function readInput(input: unknown): JsonObject | undefined {
  const value = typeof input === 'string' ? parseArguments(input) : input;
  return isJsonObject(value) ? value : undefined;
}

function describeProblems(problems: readonly { readonly path: string; readonly message: string }[]): string {
  const lines = problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => `${path || 'arguments'}: ${message}`);
  return `The arguments don't fit the tool's schema:\n${lines.join('\n')}`;
}

const MOST_PROBLEMS = 10;

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return cutText(text.replace(/\s+/g, ' '), 500);
}
