import type { WriteOptions } from './formats/format.ts';
import { formatOf } from './formats/format-of.ts';
import type { Json, JsonObject } from './json.ts';
import type { Tool, ToolFormat } from './tool.ts';

/** Writes one tool in a format: as it came if it came in that format, else with everything that the format can express. */
export function writeTool(tool: Tool, format: ToolFormat, options: WriteOptions = {}): JsonObject {
  return formatOf(format).write(tool, options);
}

/**
 * Writes the tools array of a request. Gemini's declarations share one list, and OpenAI Responses' tools stand in the
 * namespace of their server unless `optionsOf` gives them another name. Throws `CatalogError` `unsupported_tool` for a tool that
 * another provider defines: filter by `extras.providerType` before.
 */
export function writeTools(
  tools: readonly Tool[],
  format: ToolFormat,
  optionsOf: (tool: Tool) => WriteOptions = () => ({}),
): readonly Json[] {
  const target = formatOf(format);
  if (target.writeAll !== undefined) return target.writeAll(tools, optionsOf);
  return tools.map((tool) => target.write(tool, optionsOf(tool)));
}
