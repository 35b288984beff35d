import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { ApiError } from '../http/index.ts';

const CODE = 'mcp_connector_needed';

/**
 * Throws for a request that names MCP servers or has called them before: whoever asked has to connect them first. Told by an
 * error, since only a parsed body tells, and bodies are parsed once and perhaps on another thread.
 */
export function leaveToConnector({ mcp_servers: servers, messages }: JsonObject): void {
  const isNamed = servers !== undefined && servers !== null;
  if (!isNamed && !(Array.isArray(messages) && messages.some(hasMcpBlock))) return;
  throw new ApiError(400, 'mcp_servers: not supported here', { details: { error_code: CODE } });
}

export function isLeftToConnector(error: unknown): boolean {
  return error instanceof ApiError && error.details?.error_code === CODE;
}

function hasMcpBlock(message: unknown): boolean {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return false;
  return message.content.some(
    (block: unknown) => isJsonObject(block) && typeof block.type === 'string' && block.type.startsWith('mcp_tool_'),
  );
}
