import type {
  Client,
  ProtocolEra,
  RequestOptions,
  ServerCapabilities,
  StandardSchemaV1,
} from '@modelcontextprotocol/client';
import type { Tool } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { McpError } from '../../errors.ts';
import type { ToolsPage } from '../definitions/index.ts';
import { kindOf } from '../transport/index.ts';

/** A live connection to one server. */
export interface Connection {
  readonly server: string;
  /** `modern` servers ask for input in their results instead of sending requests. */
  readonly era: ProtocolEra;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Sends any request. The result is not checked. */
  request(request: Outgoing, options?: RequestOptions): Promise<JsonObject>;
  /** Calls a tool. The definition is needed if the server wants parameters repeated in headers. */
  call(params: JsonObject & { readonly name: string }, tool: Tool, options?: RequestOptions): Promise<JsonObject>;
  notify(notification: Outgoing): Promise<void>;
  /** Follows exactly these resources from now on, on any protocol revision: `notifications/resources/updated`. */
  follow(uris: ReadonlySet<string>): Promise<void>;
  /** Throws if the answer contains no list: that is not the same as a server without tools. */
  listPage(cursor: string | undefined, options?: RequestOptions): Promise<ToolsPage>;
  close(): Promise<void>;
}

/** A request in MCP's format. */
export interface Outgoing {
  readonly method: string;
  readonly params?: JsonObject;
}

interface WrapOptions {
  /** Called if the server violates the newer revision. */
  readonly onBroken?: () => void;
  /** Follows resources on the newer revision. @default one request each, as on the older one */
  readonly follow?: Connection['follow'] | undefined;
}

/** What the rest of the hub sees of a connected SDK client. */
export function wrapClient(server: string, client: Client, options: WrapOptions = {}): Connection {
  const { onBroken = () => {} } = options;
  const era = client.getProtocolEra() ?? 'legacy';
  const takeRawTools = era === 'modern' ? receiveLeniently(client, onBroken) : undefined;
  const request: Connection['request'] = (outgoing, options) =>
    client.request({ method: outgoing.method, params: { ...outgoing.params } }, ANY_RESULT, options);
  return {
    server,
    era,
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    request,
    async call(params, tool, options) {
      if (era === 'legacy' || client.transport?.hasPerRequestStream !== true) {
        return request({ method: 'tools/call', params }, options);
      }
      // Without the output schema: results are forwarded unchecked, and no code is generated from an untrusted schema.
      const toolDefinition = { name: params.name, inputSchema: { ...tool.schema, type: 'object' as const } };
      return (await client.callTool({ ...params }, { ...options, toolDefinition })) as JsonObject;
    },
    follow: options.follow ?? subscribeEach(request),
    notify: (outgoing) => client.notification({ method: outgoing.method, params: { ...outgoing.params } }),
    async listPage(cursor, options) {
      const result = await request(
        { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
        options,
      );
      const tools = takeRawTools?.() ?? result.tools;
      const { nextCursor } = result;
      if (!Array.isArray(tools)) {
        throw new McpError('invalid_answer', `its answer contains ${kindOf(tools)} instead of a list`, {
          context: { server },
        });
      }
      return {
        tools,
        ...(typeof nextCursor === 'string' && nextCursor !== '' ? { nextCursor } : {}),
      };
    },
    close: () => client.close(),
  };
}

/** One request per resource, as in the older revisions. */
function subscribeEach(request: Connection['request']): Connection['follow'] {
  const current = new Set<string>();
  return async (uris) => {
    for (const uri of current) {
      if (uris.has(uri)) continue;
      current.delete(uri);
      await request({ method: 'resources/unsubscribe', params: { uri } });
    }
    let failure: unknown;
    for (const uri of uris) {
      if (current.has(uri)) continue;
      try {
        await request({ method: 'resources/subscribe', params: { uri } });
        current.add(uri);
      } catch (error) {
        // A resource that is gone does not affect the others.
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  };
}

/**
 * On the newer revision the SDK checks a whole `tools/list` result first, so one definition without a schema would hide all the
 * others. The definitions are therefore taken out before its check and returned unchecked. It also rejects results of calls that have
 * run if they lack a `resultType`: those are treated as complete, as on the older revisions.
 */
function receiveLeniently(client: Client, onBroken: () => void): () => JsonObject['tools'] | undefined {
  const { transport } = client;
  const deliver = transport?.onmessage;
  let tools: JsonObject['tools'] | undefined;
  if (transport === undefined || deliver === undefined) return () => undefined;
  transport.onmessage = (message, extra) => {
    const result = 'result' in message ? (message.result as unknown) : undefined;
    if (!isJsonObject(result)) return deliver(message, extra);
    const isBroken = result.resultType === undefined;
    const hasTools = Array.isArray(result.tools);
    // Invalid lists mean that the server does not support the revision. If only its calls are wrong, it may have tools for this revision only.
    if (isBroken && hasTools) onBroken();
    if (hasTools) tools = result.tools;
    if (!isBroken && !hasTools) return deliver(message, extra);
    const completed = { resultType: 'complete', ...result, ...(hasTools ? { tools: [] } : {}) };
    return deliver({ ...message, result: completed } as typeof message, extra);
  };
  return () => {
    const taken = tools;
    tools = undefined;
    return taken;
  };
}

/**
 * Accepts every object as a result. A proxy forwards what it gets: a content type or a field that the SDK does not know yet is
 * between the client and the server.
 */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'The result is not an object' }] }),
  },
};

/** Accepts every object as parameters, and none as an empty one. */
export const ANY_PARAMS: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => ({ value: isJsonObject(value) ? value : {} }),
  },
};
