import { isSpecType } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject, type JsonSchema, writeTool } from '@quartermaster/core/catalog';
import type { Own, Shown } from '@quartermaster/core/disclosure';
import { memoized } from '@quartermaster/core/internal';

/** A tool of the catalog for `tools/list`: as its server defined it, with the name and description from the plan. */
export const renderShown: (shown: Shown) => JsonObject = memoized(render);

/** One of our own tools. Declares no output schema: `tool_call` returns what the tool behind it returns. */
export function renderOwn(own: Own, note: string | undefined): JsonObject {
  const description = own.role === 'search' && note !== undefined ? `${own.description}\n\n${note}` : own.description;
  return {
    name: own.name,
    description,
    inputSchema: own.schema,
    ...(own.role === 'call' ? {} : { annotations: { readOnlyHint: true } }),
  };
}

/** Clients validate a list as a whole, so a definition that they would reject is reduced to what they accept. */
function render(shown: Shown): JsonObject {
  const written = writeTool({ ...shown.tool, description: shown.description, schema: shown.schema }, 'mcp', {
    name: shown.name,
  });
  const { outputSchema, ...rest } = written;
  const isObject = isJsonObject(outputSchema) && outputSchema.type === 'object';
  const definition: JsonObject = {
    ...rest,
    inputSchema: objectSchema(shown.schema),
    ...(isObject ? { outputSchema } : {}),
  };
  const isAccepted: boolean = isSpecType.Tool(definition);
  if (isAccepted) return definition;
  return { name: shown.name, description: shown.description, inputSchema: objectSchema(shown.schema) };
}

/** Clients insist on `type`. Properties that are not schemas, which some servers list, are left out for the same reason. */
function objectSchema(schema: JsonSchema): JsonSchema {
  if (schema.type === 'object' && isSpecType.Tool({ name: 'x', inputSchema: schema })) return schema;
  const { properties, required, ...rest } = schema;
  const entries = isJsonObject(properties) ? Object.entries(properties).filter(([, value]) => isJsonObject(value)) : [];
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(entries),
    ...(names.length === 0 ? {} : { required: names }),
  };
}
