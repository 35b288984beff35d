import { defined, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import { anthropicDefinedTool } from './anthropic-defined-tools.ts';
import { type Draft, invalid, read, restate, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/** Tools of the Messages API: custom ones, and dated ones that Anthropic defines, including the search tools. */
export const anthropicFormat: Format = { format: 'anthropic', parse, write };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const providerType = readProviderType(definition);
  const known = providerType === undefined ? undefined : anthropicDefinedTool(providerType);
  const mark = read.boolean(definition, 'defer_loading');
  const strict = read.boolean(definition, 'strict');
  const examples = read.list(definition, 'input_examples');
  return createTool({
    name: providerType === undefined ? read.name(definition) : readProviderName(definition, providerType),
    server: context.server,
    description: read.text(definition, 'description') || (known?.description ?? ''),
    schema: known?.schema ?? read.schema(definition, 'input_schema'),
    policy: mark === undefined && providerType !== undefined ? 'never' : read.policy(mark, context),
    extras: { verbatim: { anthropic: definition }, ...defined({ providerType, strict, examples }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, providerType, strict, examples } = tool.extras;
  const received = verbatim?.anthropic;
  if (providerType !== undefined && received === undefined && verbatim !== undefined)
    throw unsupported(tool, 'anthropic');
  const draft: Draft = { ...received };
  if (providerType !== undefined) restate.field(draft, 'type', readProviderType(draft), providerType);
  restate.field(draft, 'name', nameIn(draft, providerType), options.name ?? tool.name);
  // Anthropic does not need a description of its own tools.
  const known = providerType === undefined ? undefined : anthropicDefinedTool(providerType);
  if (tool.description !== known?.description) restate.description(draft, tool);
  if (providerType === undefined) restate.schema(draft, 'input_schema', tool.schema, received);
  restate.field(draft, 'strict', read.boolean(draft, 'strict'), strict);
  restate.field(draft, 'input_examples', read.list(draft, 'input_examples'), examples);
  restate.mark(draft, tool, options, received !== undefined);
  return draft;
}

/** `type` is absent, null or `custom` for a tool that the client defines. */
function readProviderType(definition: JsonObject): string | undefined {
  const type = read.field(definition, 'type');
  return typeof type === 'string' && type !== 'custom' ? type : undefined;
}

function nameIn(draft: JsonObject, providerType: string | undefined): string | undefined {
  if (Object.hasOwn(draft, 'name')) return read.text(draft, 'name');
  return providerType === undefined || !Object.hasOwn(draft, 'type') ? undefined : defaultName(draft, providerType);
}

function readProviderName(definition: JsonObject, providerType: string): string {
  return read.field(definition, 'name') === undefined ? defaultName(definition, providerType) : read.name(definition);
}

/** The type without its date, which is the name of the search tools; for a toolset, also the name of its server. */
function defaultName(definition: JsonObject, providerType: string): string {
  if (providerType === '') throw invalid('it has neither a name nor a type');
  const server = read.field(definition, 'mcp_server_name');
  if (typeof server === 'string') return `${providerType}:${server}`;
  return DATED.test(providerType) ? providerType.slice(0, -9) : providerType;
}

const DATED = /._\d{8}$/;
