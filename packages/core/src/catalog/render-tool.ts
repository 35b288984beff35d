import { CatalogError } from '../errors.ts';
import type { Json, JsonObject } from './json.ts';
import type { Tool, ToolFormat } from './tool.ts';

/**
 * A tool's content as one line of JSON: equal lines mean equal content. A verbatim definition repeats the name, the
 * description and the schema, which the tool has as fields; those are rendered once, so that hashing takes one pass over the schema.
 */
export function renderTool(tool: Tool): string {
  const { verbatim: _, ...shared } = tool.extras;
  try {
    const line = JSON.stringify([tool.server ?? null, tool.name, tool.description, tool.schema, tool.policy, shared]);
    return line + renderDefinition(tool);
  } catch (cause) {
    // The runtime describes a cycle after the first line.
    const [reason] = String(cause).split('\n');
    throw new CatalogError('invalid_tool', `Tool "${tool.id}" can't be written as JSON: ${reason}`, {
      cause,
      context: { id: tool.id },
    });
  }
}

/** What a tool's verbatim definitions contain beyond its fields. */
export function renderDefinition(tool: Tool): string {
  const { verbatim } = tool.extras;
  let text = '';
  if (verbatim === undefined) return text;
  for (const format in verbatim) {
    const definition = verbatim[format as ToolFormat];
    if (definition !== undefined) text += ` ${format} ${renderRest(definition, format === 'gemini')}`;
  }
  return text;
}

/** All keys in order, and the values that the tool's fields don't repeat. Gemini's `parameters` are in a dialect, so they count. */
function renderRest(definition: JsonObject, hasDialect: boolean): string {
  let text = '{';
  for (const key in definition) {
    const value = definition[key];
    text += JSON.stringify(key);
    if (key === 'function' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      text += renderRest(value as JsonObject, false);
    } else if (!isRepeated(key, value, hasDialect)) {
      text += `:${JSON.stringify(value)}`;
    }
    text += ',';
  }
  return `${text}}`;
}

function isRepeated(key: string, value: Json | undefined, hasDialect: boolean): boolean {
  if (key === 'name' || key === 'description') return typeof value === 'string';
  const isSchema = SCHEMA_KEYS.has(key) || (key === 'parameters' && !hasDialect);
  return isSchema && typeof value === 'object' && value !== null;
}

const SCHEMA_KEYS: ReadonlySet<string> = new Set(['input_schema', 'inputSchema', 'parametersJsonSchema']);
