import { defined, isJsonObject, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import { type Draft, freeformSchema, invalid, read, restate, show, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/**
 * Tools of OpenAI's Chat Completions: `{type: 'function', function: {…}}`, and custom tools that take one text.
 * The protocol has no deferral; a `defer_loading` next to `type` or in `function` is an extension that gateways understand.
 */
export const openaiChatFormat: Format = { format: 'openai-chat', parse, write };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const given = read.field(definition, 'type');
  const type = given === undefined ? 'function' : given;
  if (type !== 'function' && type !== 'custom') throw invalid(`its type is ${show(type)}, not "function" or "custom"`);
  const isCustom = type === 'custom';
  const inner = read.field(definition, type);
  if (!isJsonObject(inner)) throw invalid(`its ${type} is ${show(inner)}, not an object`);
  const strict = isCustom ? undefined : read.boolean(inner, 'strict');
  return createTool({
    name: read.name(inner),
    server: context.server,
    description: read.text(inner, 'description'),
    schema: isCustom ? freeformSchema(grammarOf(inner)) : read.schema(inner, 'parameters'),
    policy: read.policy(readMark(definition, inner), context),
    extras: { verbatim: { 'openai-chat': definition }, ...defined({ freeform: isCustom || undefined, strict }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const received = tool.extras.verbatim?.['openai-chat'];
  if (tool.extras.providerType !== undefined) throw unsupported(tool, 'openai-chat');
  const isCustom = received !== undefined && read.field(received, 'type') === 'custom';
  const key = isCustom ? 'custom' : 'function';
  const receivedInner = received === undefined ? undefined : read.object(received, key);
  const inner: Draft = { ...receivedInner };
  restate.field(inner, 'name', read.text(inner, 'name'), options.name ?? tool.name);
  restate.description(inner, tool);
  if (!isCustom) {
    restate.schema(inner, 'parameters', tool.schema, receivedInner);
    restate.field(inner, 'strict', read.boolean(inner, 'strict'), tool.extras.strict);
  }
  const draft: Draft = received === undefined ? { type: key } : { ...received };
  draft[key] = inner;
  if (isDeferralChanged(tool, options, readMark(draft, inner))) {
    delete draft.defer_loading;
    delete inner.defer_loading;
  }
  return draft;
}

/** The extension is removed when it no longer applies, and never added. */
function isDeferralChanged(tool: Tool, options: WriteOptions, mark: boolean | undefined): boolean {
  if (mark === undefined) return false;
  const isDeferred = options.deferred ?? tool.policy === 'always';
  return options.deferred === false || isDeferred !== mark;
}

function readMark(definition: JsonObject, inner: JsonObject): boolean | undefined {
  return read.boolean(definition, 'defer_loading') ?? read.boolean(inner, 'defer_loading');
}

/** Chat nests the grammar one level deeper than Responses does. */
function grammarOf(custom: JsonObject): JsonObject | undefined {
  const format = read.object(custom, 'format');
  return format === undefined ? undefined : (read.object(format, 'grammar') ?? format);
}
