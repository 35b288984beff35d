import { CatalogError } from '../../errors.ts';
import type { ToolFormat } from '../tool.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { anthropicFormat } from './anthropic.ts';
import type { Format } from './format.ts';
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
