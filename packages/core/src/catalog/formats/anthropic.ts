import { defined, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import { anthropicDefinedTool } from './anthropic-defined-tools.ts';
import {
  type Draft,
  field,
  invalid,
  readBoolean,
  readList,
  readName,
  readPolicy,
  readSchema,
  readText,
  restate,
  restateDescription,
  restateMark,
  restateSchema,
  unsupported,
} from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/** Tools of the Messages API: custom ones, and dated ones that Anthropic defines, including the search tools. */
export const anthropicFormat: Format = { format: 'anthropic', parse, write };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const providerType = readProviderType(definition);
  const known = providerType === undefined ? undefined : anthropicDefinedTool(providerType);
  const mark = readBoolean(definition, 'defer_loading');
  const strict = readBoolean(definition, 'strict');
  const examples = readList(definition, 'input_examples');
  return createTool({
    name: providerType === undefined ? readName(definition) : readProviderName(definition, providerType),
    server: context.server,
    description: readText(definition, 'description') || (known?.description ?? ''),
    schema: known?.schema ?? readSchema(definition, 'input_schema'),
    policy: mark === undefined && providerType !== undefined ? 'never' : readPolicy(mark, context),
    extras: { verbatim: { anthropic: definition }, ...defined({ providerType, strict, examples }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, providerType, strict, examples } = tool.extras;
  const received = verbatim?.anthropic;
  if (providerType !== undefined && received === undefined && verbatim !== undefined)
    throw unsupported(tool, 'anthropic');
  const draft: Draft = { ...received };
  if (providerType !== undefined) restate(draft, 'type', readProviderType(draft), providerType);
  restate(draft, 'name', nameIn(draft, providerType), options.name ?? tool.name);
  // Anthropic does not need a description of its own tools.
  const known = providerType === undefined ? undefined : anthropicDefinedTool(providerType);
  if (tool.description !== known?.description) restateDescription(draft, tool);
  if (providerType === undefined) restateSchema(draft, 'input_schema', tool.schema, received);
  restate(draft, 'strict', readBoolean(draft, 'strict'), strict);
  restate(draft, 'input_examples', readList(draft, 'input_examples'), examples);
  restateMark(draft, tool, options, received !== undefined);
  return draft;
}

/** `type` is absent, null or `custom` for a tool that the client defines. */
function readProviderType(definition: JsonObject): string | undefined {
  const type = field(definition, 'type');
  return typeof type === 'string' && type !== 'custom' ? type : undefined;
}

function nameIn(draft: JsonObject, providerType: string | undefined): string | undefined {
  if (Object.hasOwn(draft, 'name')) return readText(draft, 'name');
  return providerType === undefined || !Object.hasOwn(draft, 'type') ? undefined : defaultName(draft, providerType);
}

function readProviderName(definition: JsonObject, providerType: string): string {
  return field(definition, 'name') === undefined ? defaultName(definition, providerType) : readName(definition);
}

/** The type without its date, which is the name of the search tools; for a toolset, also the name of its server. */
function defaultName(definition: JsonObject, providerType: string): string {
  if (providerType === '') throw invalid('it has neither a name nor a type');
  const server = field(definition, 'mcp_server_name');
  if (typeof server === 'string') return `${providerType}:${server}`;
  return DATED.test(providerType) ? providerType.slice(0, -9) : providerType;
}

const DATED = /._\d{8}$/;
