import { CatalogError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { JsonSchema, Policy, Tool, ToolFormat } from '../tool.ts';
import { aiSdkFormat } from './ai-sdk.ts';
import { anthropicFormat } from './anthropic.ts';
import { read } from './definition-fields.ts';
import { geminiFormat } from './gemini.ts';
import { mcpFormat } from './mcp.ts';
import { openaiChatFormat } from './openai-chat.ts';
import { openaiResponsesFormat } from './openai-responses.ts';

/** What a definition doesn't say itself. */
export interface ParseContext {
  /** The server of tools that name none. */
  readonly server?: string | undefined;
  /** The OpenAI namespace of the definition, without its tools. */
  readonly namespace?: JsonObject | undefined;
  /** What a definition without a mark means. Provider-defined tools are then `never`. */
  readonly missingDeferral: Policy;
}

/** How to write a tool, if that differs from the tool itself. */
export interface WriteOptions {
  /** The name that the model sees. @default the tool's own name */
  readonly name?: string | undefined;
  /**
   * Whether to mark the tool as deferred: `true` sets the format's mark, `false` removes it.
   * @default by policy: `always` is marked, `never` is marked as not deferred unless the definition had no mark
   */
  readonly deferred?: boolean | undefined;
  /** What the model sees in place of the tool's own description and schema. @default the tool's own */
  readonly shown?: { readonly description: string; readonly schema: JsonSchema } | undefined;
}

/** One definition format: how to read a definition and how to write one. */
export interface Format {
  readonly format: ToolFormat;
  /** Throws `CatalogError` `invalid_tool`, with what is wrong but not with which tool it is: the caller knows. */
  parse(definition: JsonObject, context: ParseContext): Tool;
  /** Lossless for a tool that came in this format; otherwise everything that the format can express. */
  write(tool: Tool, options: WriteOptions): JsonObject;
  /** A whole tools array, if that is more than its definitions one by one. */
  writeAll?(tools: readonly Tool[], options: (tool: Tool) => WriteOptions): readonly Json[];
}

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

/** Writes one tool in a format: unchanged if it came in that format, else with everything that the format can express. */
export function writeTool(tool: Tool, format: ToolFormat, options: WriteOptions = {}): JsonObject {
  return formatOf(format).write(asShown(tool, options.shown), options);
}

function asShown(tool: Tool, shown: WriteOptions['shown']): Tool {
  if (shown === undefined || (shown.description === tool.description && shown.schema === tool.schema)) return tool;
  return { ...tool, description: shown.description, schema: shown.schema };
}

/**
 * Writes the tools array of a request. Gemini's declarations share one list, and OpenAI Responses' tools are in the
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

/**
 * The format that a definition is in, from the fields that only that format has. A plain `{name, description}` with `parameters`
 * counts as Gemini's declaration, one without any schema as MCP's; undefined means that it does not look like a tool.
 */
export function detectFormat(definition: JsonObject): ToolFormat | undefined {
  const type = read.field(definition, 'type');
  if (type === 'provider' || type === 'provider-defined') return 'ai-sdk';
  if (type === 'function') return detectFunction(definition);
  if (Object.hasOwn(definition, 'input_schema')) return 'anthropic';
  if (type === 'custom') return isJsonObject(read.field(definition, 'custom')) ? 'openai-chat' : 'openai-responses';
  if (Object.hasOwn(definition, 'inputSchema')) return isHolder(definition) ? 'ai-sdk' : 'mcp';
  if (GEMINI_KEYS.some((key) => Object.hasOwn(definition, key))) return 'gemini';
  if (typeof type === 'string') return ANTHROPIC_TYPE.test(type) ? 'anthropic' : 'openai-responses';
  if (isJsonObject(read.field(definition, 'function'))) return 'openai-chat';
  if (Object.hasOwn(definition, 'name')) return 'mcp';
  return BUILT_IN.has(Object.keys(definition).join()) ? 'gemini' : undefined;
}

function detectFunction(definition: JsonObject): ToolFormat {
  if (isJsonObject(read.field(definition, 'function'))) return 'openai-chat';
  return Object.hasOwn(definition, 'inputSchema') ? 'ai-sdk' : 'openai-responses';
}

/** The AI SDK's `tool()` has a schema that is not JSON, or code along with it. */
function isHolder(definition: JsonObject): boolean {
  const schema: unknown = definition.inputSchema;
  const isWrapped = isJsonObject(schema) && Object.hasOwn(schema, 'jsonSchema') && !Object.hasOwn(schema, 'type');
  const isForeign = typeof schema === 'function' || (isJsonObject(schema) && '~standard' in schema);
  return isWrapped || isForeign || AI_SDK_KEYS.some((key) => Object.hasOwn(definition, key));
}

const AI_SDK_KEYS: readonly string[] = ['execute', 'providerOptions', 'inputExamples', 'deferLoading'];
const GEMINI_KEYS: readonly string[] = ['parameters', 'parametersJsonSchema', 'parameters_json_schema'];
/** Anthropic's types have dates; the search tools and toolsets also exist without. */
const ANTHROPIC_TYPE = /_\d{8}$|^tool_search_tool_|_toolset$/;
/** Gemini's own tools, each an object under its name, in either spelling. */
const BUILT_IN: ReadonlySet<string> = new Set(
  [
    ...['googleSearch', 'googleSearchRetrieval', 'codeExecution', 'urlContext', 'googleMaps', 'fileSearch'],
    ...['computerUse', 'enterpriseWebSearch', 'retrieval'],
  ].flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
);
