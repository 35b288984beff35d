import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { anthropicDefinedTool, defined, describeExamples } from '@quartermaster/core/internal';
import type { AnthropicBlock, AnthropicRequest } from '@quartermaster/wires/anthropic';
import type { ModelTarget } from '../model-target.ts';
import { createPromptBuilder } from '../prompt-builder.ts';
import { callOptions, mergeOptions, type ReasoningWish } from '../provider-options.ts';
import { readNumber, readStops } from '../read-settings.ts';
import {
  blocksOf,
  cacheOptions,
  knowsBlocks,
  readAssistantBlocks,
  readResults,
  readUserBlocks,
} from './read-blocks.ts';

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;

/**
 * A Messages request for any provider.
 *
 * Lost on the way: boundaries between system blocks; citations of earlier answers, and a document's title, context and citation
 * settings; thoughts of another provider; MCP connectors; cache breakpoints except
 * at Anthropic; `metadata`, `service_tier`, `container`, `context_management`, `speed`. `top_k` is up to the provider. Tools that
 * Anthropic defines and clients run (`bash`, `computer`) go along as functions; those that Anthropic runs are refused, and what
 * they did earlier in the conversation becomes notes. Blocks of a user that have no counterpart are refused: files known only
 * by id, except at Anthropic, and those of unknown types.
 */
export function toCall(request: AnthropicRequest, target: ModelTarget): LanguageModelV4CallOptions {
  const tools = readTools(request.tools, target);
  return {
    prompt: readPrompt(request, target),
    ...readNumber('maxOutputTokens', request.max_tokens),
    ...readNumber('temperature', request.temperature),
    ...readNumber('topP', request.top_p),
    ...readNumber('topK', request.top_k),
    ...readStops(request.stop_sequences),
    ...(tools.length === 0 ? {} : { tools }),
    ...readChoice(request, tools),
    ...readFormat(request.output_config),
    ...callOptions(readWish(request), target, request.tool_choice?.disable_parallel_tool_use === true),
  };
}

function readPrompt(request: AnthropicRequest, target: ModelTarget): LanguageModelV4CallOptions['prompt'] {
  const builder = createPromptBuilder(target);
  const system = blocksOf(request.system);
  const cached = system.map((block) => cacheOptions(block, target)).findLast((options) => options !== undefined);
  builder.system(textOf(system), cached);
  const messages: readonly unknown[] = Array.isArray(request.messages) ? request.messages : [];
  for (const message of messages.filter(isJsonObject)) {
    const blocks = blocksOf(message.content);
    if (message.role === 'assistant') builder.assistant(readAssistantBlocks(blocks, target));
    else if (message.role === 'system') builder.system(textOf(blocks));
    else {
      // Results answer the calls right before them, whatever else the message contains.
      builder.answers(readResults(blocks, target));
      const said = blocks.filter((block) => block.type !== 'tool_result');
      builder.user(readUserBlocks(said, target));
    }
  }
  return builder.prompt();
}

function textOf(blocks: readonly AnthropicBlock[]): string {
  return blocks.flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [text] : [])).join('\n\n');
}

function readTools(definitions: unknown, target: ModelTarget): Tools {
  const list: readonly unknown[] = Array.isArray(definitions) ? definitions : [];
  return list.filter(isJsonObject).flatMap((definition): Tools => {
    const { type, name } = definition;
    if (typeof type === 'string' && type !== 'custom') return readDefinedTool(type, definition, target);
    return typeof name === 'string' ? [readTool(definition, name, target)] : [];
  });
}

function readTool(definition: JsonObject, name: string, target: ModelTarget): LanguageModelV4FunctionTool {
  const { description, input_schema: schema, strict, input_examples: examples, defer_loading: deferred } = definition;
  const inputs = Array.isArray(examples) ? examples.filter(isJsonObject) : [];
  const takesExamples = knowsBlocks(target);
  const given = typeof description === 'string' ? description : '';
  // The other providers' packages drop the field.
  const told = takesExamples ? given : describeExamples(given, inputs);
  const isMarked = typeof deferred === 'boolean' && takesExamples;
  const inputExamples = takesExamples && inputs.length > 0 ? inputs.map((input) => ({ input })) : undefined;
  return {
    type: 'function',
    name,
    ...(told === '' ? {} : { description: told }),
    inputSchema: (isJsonObject(schema) ? schema : { type: 'object' }) as LanguageModelV4FunctionTool['inputSchema'],
    ...(defined({ inputExamples }) as Pick<LanguageModelV4FunctionTool, 'inputExamples'>),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...mergeOptions(cacheOptions(definition, target), isMarked ? { anthropic: { deferLoading: deferred } } : undefined),
  };
}

/** A tool that Anthropic defines: a function with its known parameters, which the client runs under its usual name. */
function readDefinedTool(type: string, definition: JsonObject, target: ModelTarget): Tools {
  const { name } = definition;
  if (type.startsWith('tool_search_tool')) return readSearchTool(type, name, target);
  const known = anthropicDefinedTool(type);
  if (known === undefined) {
    const message = `tools: ${type.slice(0, 200)} is run by Anthropic, and the host of this model can't run it; leave it out, or declare a tool of your own`;
    throw new UpstreamError({ code: 'unsupported', message });
  }
  const { description, schema } = known;
  const own = typeof name === 'string' ? name : type.replace(/_\d{8}$/, '');
  const display =
    isJsonObject(definition) && typeof definition.display_width_px === 'number'
      ? ` The screen is ${definition.display_width_px} by ${Number(definition.display_height_px)} pixels.`
      : '';
  return [readTool({ ...definition, description: `${description}${display}`, input_schema: schema }, own, target)];
}

function readSearchTool(type: string, name: unknown, target: ModelTarget): Tools {
  const engine = /^tool_search_tool_(regex|bm25)/.exec(type)?.[1];
  if (engine === undefined || !knowsBlocks(target)) return [];
  const own = typeof name === 'string' ? name : `tool_search_tool_${engine}`;
  return [{ type: 'provider', id: `anthropic.tool_search_${engine}_20251119`, name: own, args: {} }];
}

/** A declared tool that is left out can't be forced. */
function readChoice(request: AnthropicRequest, tools: Tools): Pick<LanguageModelV4CallOptions, 'toolChoice'> {
  const { tool_choice: choice } = request;
  if (choice?.type === 'tool') refuseUndeclared(choice.name, request.tools);
  if (tools.length === 0) return {};
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return { toolChoice: { type: choice.type } };
    case 'any':
      return { toolChoice: { type: 'required' } };
    case 'tool':
      return tools.some(({ name }) => name === choice.name)
        ? { toolChoice: { type: 'tool', toolName: String(choice.name) } }
        : {};
    default:
      return {};
  }
}

function refuseUndeclared(name: unknown, definitions: unknown): void {
  const list: readonly unknown[] = Array.isArray(definitions) ? definitions : [];
  // A tool that Anthropic defines may be declared without a name.
  const isDeclared = list.some(
    (tool) => isJsonObject(tool) && (tool.name === name || (tool.name === undefined && tool.type !== undefined)),
  );
  if (isDeclared) return;
  const message = `tool_choice: the tool '${String(name).slice(0, 200)}' is not in tools`;
  throw new UpstreamError({ code: 'unsupported', message });
}

function readFormat(config: unknown): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  const format = isJsonObject(config) ? config.format : undefined;
  if (!isJsonObject(format) || format.type !== 'json_schema' || !isJsonObject(format.schema)) return {};
  return { responseFormat: { type: 'json', schema: format.schema as LanguageModelV4FunctionTool['inputSchema'] } };
}

function readWish({ thinking, output_config: config }: AnthropicRequest): ReasoningWish {
  const effort = isJsonObject(config) && typeof config.effort === 'string' ? config.effort : undefined;
  if (!isJsonObject(thinking)) return { effort };
  const budgetTokens = typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : undefined;
  const kind = THINKING.find((known) => known === thinking.type);
  return { effort, thinking: kind, budgetTokens };
}

const THINKING = ['enabled', 'disabled', 'adaptive'] as const;
