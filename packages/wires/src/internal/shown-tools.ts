import type { Snapshot, Tool } from '@quartermaster/core';
import { isJsonObject, toolId } from '@quartermaster/core/catalog';
import { toInput, tryParseJson } from '@quartermaster/core/internal';

/**
 * A tool that OpenAI accepts as a function: it rejects parameters that are an object without `properties` ("object schema missing
 * properties") or have no type. Applied only on the way out: in the catalog, and in any other format, the schema stays what its owner
 * wrote. What a client declared to OpenAI itself goes there as it came.
 */
export function openaiTool(tool: Tool, format: 'openai-chat' | 'openai-responses'): Tool {
  const { schema, extras } = tool;
  const isComplete = schema.type !== undefined && (schema.type !== 'object' || isJsonObject(schema.properties));
  if (isComplete || extras.providerType !== undefined || extras.verbatim?.[format] !== undefined) return tool;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return { ...tool, schema: { type: 'object', ...schema, properties } };
}

/**
 * The client's name of a tool that the model calls. A tool that the client declared keeps its name, even if the model
 * was shown another one because that name can't be used; any other tool has the name that the model sees.
 */
export function clientName(snapshot: Snapshot, modelName: string): string {
  const tool = snapshot.resolve(modelName);
  return tool === undefined || tool.server !== undefined ? modelName : tool.name;
}

/** The reverse: the name that the model sees, for one in the client's messages. */
export function modelName(snapshot: Snapshot, name: string): string {
  const tool = snapshot.get(toolId(undefined, name));
  return tool === undefined ? name : snapshot.modelName(tool);
}

/** Some hosts reject a history with arguments that are not JSON, and a client that did not see the call can't fix it. */
export function withReadableArguments<Call extends { readonly arguments?: string }>(call: Call): Call {
  const text = call.arguments;
  if (typeof text !== 'string' || text === '' || isJsonObject(tryParseJson(text))) return call;
  return { ...call, arguments: JSON.stringify(toInput(text)) };
}

interface ToolFields {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: unknown;
}

/**
 * A request with these tools in place of its own. OpenAI's APIs reject an empty list, and a choice without tools: if
 * nothing is left to declare, both keys are removed. A request that declared no tools keeps its other fields.
 */
export function declareTools<Request extends ToolFields>(request: Request, tools: readonly unknown[]): Request {
  if (tools.length > 0) return { ...request, tools };
  const { tools: given, ...rest } = request;
  if (!Array.isArray(given) || given.length === 0) return rest as Request;
  const { tool_choice: _, parallel_tool_calls: __, ...bare } = rest;
  return bare as Request;
}
