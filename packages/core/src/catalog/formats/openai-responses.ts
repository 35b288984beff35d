import { defined, type Json, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import { type Draft, freeformSchema, invalid, read, restate, show, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/** Tools of OpenAI's Responses API: functions, custom tools, namespaces of both (a server here), and hosted tools. */
export const openaiResponsesFormat: Format = { format: 'openai-responses', parse, write, writeAll };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const type = read.field(definition, 'type');
  if (typeof type !== 'string') throw invalid(`its type is ${show(type)}, not a string such as "function"`);
  // A whole namespace was unfolded before this.
  if (type === 'namespace') throw invalid('it is a namespace, which needs a name and a list of tools');
  const mark = read.boolean(definition, 'defer_loading');
  const isHosted = type !== 'function' && type !== 'custom';
  const extras = {
    namespace: context.namespace,
    providerType: isHosted ? type : undefined,
    freeform: type === 'custom' || undefined,
    strict: read.boolean(definition, 'strict'),
    outputSchema: isHosted ? undefined : read.object(definition, 'output_schema'),
  };
  return createTool({
    name: isHosted ? hostedName(definition, type) : read.name(definition),
    server: context.server,
    description: read.text(definition, 'description'),
    schema:
      type === 'custom' ? freeformSchema(read.field(definition, 'format')) : read.schema(definition, 'parameters'),
    policy: mark === undefined && isHosted ? 'never' : read.policy(mark, context),
    extras: { verbatim: { 'openai-responses': definition }, ...defined(extras) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, providerType, strict, outputSchema } = tool.extras;
  const received = verbatim?.['openai-responses'];
  if (providerType !== undefined && received === undefined) throw unsupported(tool, 'openai-responses');
  const draft: Draft = received === undefined ? { type: 'function' } : { ...received };
  const isFunction = draft.type === 'function';
  if (providerType === undefined) restate.field(draft, 'name', read.text(draft, 'name'), options.name ?? tool.name);
  restate.description(draft, tool);
  if (isFunction) {
    restate.schema(draft, 'parameters', tool.schema, received);
    restate.field(draft, 'strict', read.boolean(draft, 'strict'), strict);
    restate.field(draft, 'output_schema', read.object(draft, 'output_schema'), outputSchema);
  }
  restate.mark(draft, tool, options, received !== undefined);
  return draft;
}

/**
 * Tools with a server are in its namespace, in the place of the first one; a tool that is written under a name other
 * than its own is outside, because the name says it all.
 */
function writeAll(tools: readonly Tool[], optionsOf: (tool: Tool) => WriteOptions): readonly Json[] {
  const list: Json[] = [];
  const members = new Map<string, Json[]>();
  for (const tool of tools) {
    const options = optionsOf(tool);
    const written = write(tool, options);
    const isRenamed = options.name !== undefined && options.name !== tool.name;
    if (tool.server === undefined || isRenamed || tool.extras.providerType !== undefined) {
      list.push(written);
      continue;
    }
    const known = members.get(tool.server);
    if (known !== undefined) {
      known.push(written);
      continue;
    }
    const group: Json[] = [written];
    members.set(tool.server, group);
    list.push({ ...(tool.extras.namespace ?? newNamespace(tool.server)), tools: group });
  }
  return list;
}

/** The API requires a description; only the name is known. */
function newNamespace(server: string): JsonObject {
  return { type: 'namespace', name: server, description: `Tools of ${server}` };
}

/** Hosted tools are identified by their type; a whole MCP server also by its label. */
function hostedName(definition: JsonObject, type: string): string {
  const label = read.field(definition, 'server_label');
  if (typeof label === 'string') return `${type}:${label}`;
  return read.field(definition, 'name') === undefined ? type : read.name(definition);
}
