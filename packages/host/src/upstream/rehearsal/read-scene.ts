import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { readTold } from '@quartermaster/core/disclosure';
import { defined, tryParseJson } from '@quartermaster/core/internal';

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;

/** A tool as far as it is known: found ones may lack a schema. */
export interface SceneTool {
  readonly name: string;
  readonly description: string;
  readonly schema?: JsonObject;
}

/** The search tool: a function, or the provider's own tool. */
interface SceneSearch {
  readonly name: string;
  readonly schema: JsonObject;
  /** Run by the provider, which is us. */
  readonly hosted?: 'regex' | 'bm25';
}

/** One call of the current turn, with its answer. */
export interface SceneCall {
  readonly name: string;
  readonly input: unknown;
  readonly answer: string;
  readonly isError: boolean;
}

/** The state of the conversation. */
export interface Scene {
  /** What the user last said. */
  readonly said: string;
  readonly search?: SceneSearch;
  /** The names of our own tools for describing and calling a tool, if they are declared. */
  readonly describe?: string;
  readonly call?: string;
  /** Tools that can be called by their names now. */
  readonly declared: readonly SceneTool[];
  /** Tools that are there to be found, where the provider searches. */
  readonly deferred: readonly SceneTool[];
  /** What the searches of this turn have found, in order, and what has been described since. */
  readonly found: readonly SceneTool[];
  /** The calls of this turn, in order. */
  readonly calls: readonly SceneCall[];
  /** How many calls the conversation contains: the next id. */
  readonly callCount: number;
}

/** Reads a conversation in any form of disclosure. */
export function readScene(options: LanguageModelV4CallOptions): Scene {
  const { prompt, tools = [] } = options;
  const start = turnStart(prompt);
  const own = readOwn(tools);
  const turn = prompt.slice(start + 1);
  const results = prompt.flatMap(resultsIn);
  const seen = new Set(results.flatMap((result) => foundIn(result).map(({ name }) => name)));
  const real = tools.flatMap((tool): readonly MarkedTool[] => (isOwn(tool.name, own) ? [] : readTool(tool)));
  return {
    ...own,
    said: textOf(prompt[start]),
    declared: real.filter(({ name, isDeferred }) => !isDeferred || seen.has(name)),
    deferred: real.filter(({ isDeferred }) => isDeferred),
    found: mergeFound(turn.flatMap(resultsIn).flatMap((result) => (isFinding(result, own) ? foundIn(result) : []))),
    calls: readCalls(turn),
    callCount: prompt.flatMap(callsIn).length,
  };
}

/** The message that began the turn. Text that came with results (a client's reminders) begins none. */
function turnStart(prompt: readonly LanguageModelV4Message[]): number {
  const start = prompt.findLastIndex(
    (message, index) => message.role === 'user' && textOf(message) !== '' && prompt[index - 1]?.role !== 'tool',
  );
  return start < 0 ? prompt.findLastIndex((message) => message.role === 'user') : start;
}

function textOf(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== 'user') return '';
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return withoutReminders(text).trim();
}

/** What clients add to the user's own words. */
function withoutReminders(text: string): string {
  const [before = '', ...reminders] = text.split('<system-reminder>');
  const rest = reminders.map((reminder) => reminder.split('</system-reminder>').slice(1).join(''));
  return [before, ...rest].join('');
}

type OwnTools = Pick<Scene, 'search' | 'describe' | 'call'>;

function readOwn(tools: Tools): OwnTools {
  const search = tools.flatMap(readSearch)[0];
  const describe = tools.find(({ name }) => /^tool_describe(_\d+)?$/.test(name))?.name;
  const call = tools.find(({ name }) => /^tool_call(_\d+)?$/.test(name))?.name;
  return defined({ search, describe, call });
}

/** A function named like a tool search that takes a query or a pattern: ours, Anthropic's names for it, Claude Code's. */
function readSearch(tool: Tools[number]): readonly SceneSearch[] {
  if (tool.type === 'provider') {
    const engine = /tool_search_(regex|bm25)/.exec(tool.id)?.[1];
    if (engine !== 'regex' && engine !== 'bm25') return [];
    return [{ name: tool.name, schema: {}, hosted: engine }];
  }
  if (!/^tool_?search/i.test(tool.name)) return [];
  const schema = tool.inputSchema as JsonObject;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const isSearch = ['query', 'queries', 'pattern'].some((key) => Object.hasOwn(properties, key));
  return isSearch ? [{ name: tool.name, schema }] : [];
}

function isOwn(name: string, own: OwnTools): boolean {
  return name === own.search?.name || name === own.describe || name === own.call;
}

interface MarkedTool extends SceneTool {
  readonly isDeferred: boolean;
}

function readTool(tool: Tools[number]): readonly MarkedTool[] {
  if (tool.type === 'provider') return [];
  const { name, description = '', providerOptions = {} } = tool;
  const isDeferred = Object.values(providerOptions).some((fields) => fields.deferLoading === true);
  return [{ name, description, schema: tool.inputSchema as JsonObject, isDeferred }];
}

type CallPart = Extract<
  Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number],
  { type: 'tool-call' }
>;

function callsIn(message: LanguageModelV4Message): readonly CallPart[] {
  if (message.role !== 'assistant') return [];
  return message.content.filter((part): part is CallPart => part.type === 'tool-call');
}

/** Results are in separate messages, or next to the call if the provider executed it. */
function resultsIn(message: LanguageModelV4Message): readonly LanguageModelV4ToolResultPart[] {
  if (message.role !== 'tool' && message.role !== 'assistant') return [];
  const parts: readonly { readonly type: string }[] = message.content;
  return parts.filter((part): part is LanguageModelV4ToolResultPart => part.type === 'tool-result');
}

function readCalls(turn: readonly LanguageModelV4Message[]): readonly SceneCall[] {
  const results = new Map(turn.flatMap(resultsIn).map((result) => [result.toolCallId, result]));
  return turn.flatMap(callsIn).flatMap(({ toolCallId, toolName: name, input }) => {
    const result = results.get(toolCallId);
    if (result === undefined) return [];
    const isError = result.output.type.startsWith('error') || result.output.type === 'execution-denied';
    return [{ name, input, answer: answerText(result), isError }];
  });
}

function answerText({ output }: LanguageModelV4ToolResultPart): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'denied';
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.mediaType}]` : ''))
        .join('\n');
  }
}

function isFinding(result: LanguageModelV4ToolResultPart, own: OwnTools): boolean {
  return result.toolName === own.search?.name || result.toolName === own.describe || result.toolName === 'tool_search';
}

/** The tools that an answer names: references, the provider's list, or the text of one of our answers. */
function foundIn({ output }: LanguageModelV4ToolResultPart): readonly SceneTool[] {
  if (output.type === 'json') {
    const list: readonly unknown[] = Array.isArray(output.value) ? output.value : [];
    return list.flatMap((one) => (isJsonObject(one) ? named(one.toolName) : []));
  }
  if (output.type === 'text') return toldIn(output.value);
  if (output.type !== 'content') return [];
  return output.value.flatMap((part) => {
    if (part.type === 'text') return toldIn(part.text);
    return part.type === 'custom' ? named(part.providerOptions?.anthropic?.toolName) : [];
  });
}

function toldIn(text: string): readonly SceneTool[] {
  const names = readTold(text);
  if (names.length === 0) return [];
  const entries = text.startsWith('<functions>')
    ? [...text.matchAll(/^<function>(.*)<\/function>$/gm)].map(([, json = '']) => tryParseJson(json))
    : entriesIn(tryParseJson(text));
  return names.map((name) => {
    const line = entries.find((one): one is string => typeof one === 'string' && AFTER_NAME.test(without(name, one)));
    if (line !== undefined) return { name, description: AFTER_NAME.exec(without(name, line))?.[1] ?? '' };
    const entry = entries.find((one) => isJsonObject(one) && one.name === name);
    if (!isJsonObject(entry)) return { name, description: '' };
    const description = typeof entry.description === 'string' ? entry.description : '';
    return { name, description, ...(isJsonObject(entry.parameters) ? { schema: entry.parameters } : {}) };
  });
}

/** What follows the name in a line: a signature and a description. */
const AFTER_NAME = /^(?:\(.*?\))?(?:: (.*)| \(also: .*)?$/;

function without(name: string, line: string): string {
  return line.startsWith(name) ? line.slice(name.length) : '?';
}

function entriesIn(value: unknown): readonly unknown[] {
  if (!isJsonObject(value)) return [];
  const list = value.matches ?? value.tools;
  return Array.isArray(list) ? list : [value];
}

function named(name: unknown): readonly SceneTool[] {
  return typeof name === 'string' ? [{ name, description: '' }] : [];
}

/** A later answer adds to a tool (a description after a search), and does not change its position. */
function mergeFound(found: readonly SceneTool[]): readonly SceneTool[] {
  const byName = new Map<string, SceneTool>();
  for (const tool of found) {
    const known = byName.get(tool.name);
    const description = tool.description || (known?.description ?? '');
    byName.set(tool.name, { ...known, ...tool, description });
  }
  return [...byName.values()];
}
