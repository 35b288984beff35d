import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/** A number under its name in a call; nothing for anything else. */
export function readNumber<Key extends string>(key: Key, value: unknown): { [Name in Key]?: number } {
  return (typeof value === 'number' ? { [key]: value } : {}) as { [Name in Key]?: number };
}

/** Texts to stop at: a list, or one. */
export function readStops(stops: unknown): Pick<LanguageModelV4CallOptions, 'stopSequences'> {
  const list: readonly unknown[] = Array.isArray(stops) ? stops : [stops];
  const texts = list.filter((stop): stop is string => typeof stop === 'string');
  return texts.length === 0 ? {} : { stopSequences: texts };
}

/** OpenAI's answer formats; `json` holds the schema in the Responses API, and one more object around it in Chat. */
export function readFormat(format: unknown): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  if (!isJsonObject(format)) return {};
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } };
  if (format.type !== 'json_schema') return {};
  const { schema, name, description } = isJsonObject(format.json_schema) ? format.json_schema : format;
  return {
    responseFormat: {
      type: 'json',
      ...(isJsonObject(schema) ? { schema: asSchema(schema) } : {}),
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    },
  };
}

/** Schemas pass through unread: the provider, or the model, interprets them. */
export function asSchema(schema: JsonObject): LanguageModelV4FunctionTool['inputSchema'] {
  return schema as LanguageModelV4FunctionTool['inputSchema'];
}
