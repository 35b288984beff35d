import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** Whether an entry among the tools of the Messages API stands for those of an MCP server. */
export function isToolset(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && tool.type === 'mcp_toolset';
}
