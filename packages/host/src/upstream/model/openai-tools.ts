import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { parseArguments } from '@quartermaster/core/dispatch';
import { UpstreamError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import { toInput } from '@quartermaster/wires/anthropic';
import type { ModelTarget } from './model-target.ts';
import { asSchema } from './read-settings.ts';

/** A tool as an OpenAI client declared it, and the name that the model knows it by. */
export interface DeclaredTool {
  readonly modelName: string;
  readonly name: string;
  readonly namespace?: string;
  /** `custom` tools take one text; models of other providers see a function with one parameter. */
  readonly kind: 'function' | 'custom' | 'search';
  readonly tool: NonNullable<LanguageModelV4CallOptions['tools']>[number];
}

/**
 * The tools of a Chat or Responses request. Namespaces are flattened into `namespace__name`. Tools that only OpenAI runs are
 * rejected; its client-executed search only means something to a target that knows it.
 */
export function readOpenaiTools(tools: unknown, target: ModelTarget): readonly DeclaredTool[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.filter(isJsonObject).flatMap((tool) => readTool(tool, target, undefined));
}

function readTool(given: JsonObject, target: ModelTarget, namespace: string | undefined): readonly DeclaredTool[] {
  const { type = 'function' } = given;
  // Chat has the definition one level deeper.
  const inner = typeof type === 'string' ? given[type] : undefined;
  const tool = isJsonObject(inner) ? inner : given;
  if (type === 'tool_search') return readSearch(tool, target);
  if (typeof type === 'string' && !DECLARED.has(type)) {
    const message = `tools: ${type.slice(0, 200)} is run by OpenAI, and the host of this model can't run it; leave it out, or declare a function of your own`;
    throw new UpstreamError({ code: 'unsupported', message });
  }
  const { name } = tool;
  if (typeof name !== 'string') return [];
  if (type === 'namespace') {
    const members: readonly unknown[] = Array.isArray(tool.tools) ? tool.tools : [];
    return members.filter(isJsonObject).flatMap((member) => readTool(member, target, name));
  }
  if (type !== 'function' && type !== 'custom') return [];
  const modelName = namespace === undefined ? name : `${namespace}__${name}`;
  const definition = type === 'custom' ? customTool(tool, modelName) : functionTool(tool, modelName, target);
  return [{ modelName, name, ...defined({ namespace }), kind: type, tool: definition }];
}

/** Tools that a client declares and runs itself. */
const DECLARED: ReadonlySet<string> = new Set(['function', 'custom', 'namespace']);

function functionTool(tool: JsonObject, name: string, target: ModelTarget): LanguageModelV4FunctionTool {
  const { description, parameters, strict, defer_loading: deferred } = tool;
  const isMarked = typeof deferred === 'boolean' && target.family === 'rehearsal';
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: asSchema(isJsonObject(parameters) ? parameters : { type: 'object', properties: {} }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(isMarked ? { providerOptions: { openai: { deferLoading: deferred } } } : {}),
  };
}

function customTool(tool: JsonObject, name: string): LanguageModelV4FunctionTool {
  const { description, format } = tool;
  const grammar = isJsonObject(format) && typeof format.definition === 'string' ? format.definition : '';
  const told = [typeof description === 'string' ? description : '', grammar].filter(Boolean).join('\n\n');
  return {
    type: 'function',
    name,
    ...(told === '' ? {} : { description: told }),
    inputSchema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
  };
}

/** The name of OpenAI's search as a call. */
export const SEARCH_CALL_NAME = 'tool_search';

function readSearch(tool: JsonObject, target: ModelTarget): readonly DeclaredTool[] {
  if (target.family !== 'rehearsal' || tool.execution !== 'client') return [];
  const { description, parameters } = tool;
  const definition: LanguageModelV4FunctionTool = {
    type: 'function',
    name: SEARCH_CALL_NAME,
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: asSchema(isJsonObject(parameters) ? parameters : { type: 'object' }),
  };
  return [{ modelName: SEARCH_CALL_NAME, name: SEARCH_CALL_NAME, kind: 'search', tool: definition }];
}

/**
 * The tools and the choice among them. A list of allowed tools leaves the others out, which is equivalent. A choice that names
 * none of them is rejected.
 */
export function readToolChoice(
  choice: unknown,
  declared: readonly DeclaredTool[],
): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  if (declared.length === 0) return {};
  const all = declared.map(({ tool }) => tool);
  if (typeof choice === 'string') return { tools: all, ...readMode(choice) };
  if (!isJsonObject(choice)) return { tools: all };
  if (choice.type === 'allowed_tools') {
    const { mode, tools: listed } = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    const names = new Set((Array.isArray(listed) ? listed : []).map((tool) => namedBy(tool)));
    const allowed = declared.filter(({ modelName, kind }) => names.has(modelName) || kind === 'search');
    if (allowed.length === 0) return {};
    return { tools: allowed.map(({ tool }) => tool), ...readMode(typeof mode === 'string' ? mode : 'auto') };
  }
  const name = choice.type === 'tool_search' ? SEARCH_CALL_NAME : namedBy(choice);
  const forced = declared.find(({ modelName }) => modelName === name);
  if (forced !== undefined) return { tools: all, toolChoice: { type: 'tool', toolName: forced.modelName } };
  // A search that is not sent can't be forced.
  if (choice.type === 'tool_search') return { tools: all };
  throw refusedChoice(`${name === undefined ? 'what it names' : `the tool '${name.slice(0, 200)}'`} is not in tools`);
}

function refusedChoice(why: string): UpstreamError {
  return new UpstreamError({ code: 'unsupported', message: `tool_choice: ${why}` });
}

function namedBy(choice: unknown): string | undefined {
  if (!isJsonObject(choice)) return undefined;
  const inner = typeof choice.type === 'string' ? choice[choice.type] : undefined;
  const { name, namespace } = isJsonObject(inner) ? inner : choice;
  if (typeof name !== 'string') return undefined;
  return typeof namespace === 'string' ? `${namespace}__${name}` : name;
}

function readMode(mode: string): Pick<LanguageModelV4CallOptions, 'toolChoice'> {
  const type = (['auto', 'none', 'required'] as const).find((known) => known === mode);
  if (type !== undefined) return { toolChoice: { type } };
  throw refusedChoice(`'${mode.slice(0, 200)}' is none of auto, none, required`);
}

/** A call's arguments as an object. Other text would reach providers as a JSON string, which they reject: it gets a key. */
export function readArguments(text: unknown): unknown {
  if (text === undefined || text === '') return {};
  return typeof text === 'string' ? toInput(text) : (parseArguments(text) ?? text);
}

/** The one text of a custom tool's call, from the JSON that the model wrote for it. */
export function freeformInput(json: string): string {
  const parsed: unknown = parseArguments(json);
  return isJsonObject(parsed) && typeof parsed.input === 'string' ? parsed.input : json;
}
