import type { Tool } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Shown } from '@quartermaster/core/disclosure';

/** The tool with the description and the schema that the model is to see: a stub's are not its owner's. */
export function asShown({ tool, description, schema }: Shown): Tool {
  return description === tool.description && schema === tool.schema ? tool : { ...tool, description, schema };
}

/**
 * A tool that OpenAI takes as a function: it refuses parameters that are an object without `properties` ("object schema missing
 * properties") or have no type. Only here, on the way out: in the catalog, and in any other format, the schema stays what its owner
 * wrote. What a client declared to OpenAI itself goes there as it came.
 */
export function openaiTool(tool: Tool, format: 'openai-chat' | 'openai-responses'): Tool {
  const { schema, extras } = tool;
  const isComplete = schema.type !== undefined && (schema.type !== 'object' || isJsonObject(schema.properties));
  if (isComplete || extras.providerType !== undefined || extras.verbatim?.[format] !== undefined) return tool;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return { ...tool, schema: { type: 'object', ...schema, properties } };
}
