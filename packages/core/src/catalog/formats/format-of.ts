import { CatalogError } from '../../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Tool, ToolFormat } from '../tool.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { anthropicFormat } from './anthropic.ts';
import type { Format, WriteOptions } from './format.ts';
import { geminiFormat } from './gemini.ts';
import { mcpFormat } from './mcp.ts';
import { openaiChatFormat } from './openai-chat.ts';
import { openaiResponsesFormat } from './openai-responses.ts';

/** The reader and writer of a format. */
export function formatOf(name: ToolFormat): Format {
  const format = FORMATS.get(name);
  if (format !== undefined) return format;
  const known = [...FORMATS.keys()].join(', ');
  throw new CatalogError('unknown_format', `Tool format ${JSON.stringify(name)} is not one of ${known}`, {
    context: { format: name },
  });
}

const FORMATS: ReadonlyMap<ToolFormat, Format> = new Map(
  [anthropicFormat, openaiChatFormat, openaiResponsesFormat, geminiFormat, mcpFormat, aiSdkFormat].map((format) => [
    format.format,
    format,
  ]),
);

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
