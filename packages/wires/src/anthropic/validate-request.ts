import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type ErrorCode, RequestError } from '@quartermaster/core/errors';
import {
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
  isBlock,
  isSearchResult,
  isToolResult,
  isToolUse,
} from './anthropic-shapes-2026-11.ts';
import { isUnknownSearch, readSearchTool, SEARCH_TOOL_TYPES } from './open.ts';
import { readHistory, readOutcome, referencesIn } from './recall.ts';

/** A request that the Messages API rejects: status 400, `invalid_request_error`. */
export class AnthropicRequestError extends RequestError {
  override readonly name: string = 'AnthropicRequestError';
  readonly status = 400;
  readonly type = 'invalid_request_error';
}

/** Options of `validateRequest`. */
export interface ValidateOptions {
  /** The request's `anthropic-version`; later versions reject more. @default 2023-06-01 */
  readonly version?: string;
  /**
   * Whether a cache breakpoint on a deferred tool is rejected, as the API does, or left for `render` to drop. A rejection makes
   * some clients give up tool search silently.
   * @default false
   */
  readonly strict?: boolean;
  /** Tools that a reference may name although the request does not declare them: those of a stored catalog. @default none */
  readonly isKnown?: (name: string) => boolean;
  /** How many tools a request may declare, without its search tool. @default 10_000, the API's limit */
  readonly maxTools?: number;
}

/** The defaults of validation. */
const VALIDATE_DEFAULTS = {
  version: '2023-06-01',
  strict: false,
  isKnown: (): boolean => false,
  maxTools: 10_000,
} as const;

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * Makes the API's checks that a gateway must make too, with the API's own messages. Unknown fields and blocks are never rejected: a
 * client that gets an error for one continues without tool search.
 */
export function validateAnthropicRequest(value: unknown, options: ValidateOptions = {}): AnthropicRequest {
  const settings = { ...VALIDATE_DEFAULTS, ...options };
  const request = checkShape(value);
  const tools = checkTools(request, settings);
  checkVersion(request, settings.version);
  checkPairs(request.messages);
  checkReferences(
    request.messages,
    (name) => tools.has(name) || isConnectorTool(request, name) || settings.isKnown(name),
  );
  return request;
}

function checkShape(value: unknown): AnthropicRequest {
  if (!isJsonObject(value)) throw refused('invalid_request', 'The request body is not a JSON object');
  const { model, max_tokens: maxTokens, messages, system, tool_choice: choice } = value;
  ensure(typeof model === 'string' && model !== '', 'model: Field required');
  const isCount = typeof maxTokens === 'number' && Number.isInteger(maxTokens) && maxTokens >= 1;
  ensure(isCount, 'max_tokens: Input should be a whole number greater than or equal to 1');
  ensure(Array.isArray(messages) && messages.length > 0, 'messages: at least one message is required');
  const isSystem = system === undefined || system === null || typeof system === 'string' || Array.isArray(system);
  ensure(isSystem, 'system: Input should be a string or a list of text blocks');
  checkChoice(choice);
  messages.forEach(checkMessage);
  return value as unknown as AnthropicRequest;
}

function checkChoice(choice: unknown): void {
  if (choice === undefined || choice === null) return;
  const isChoice = isJsonObject(choice) && CHOICES.includes(String(choice.type));
  ensure(isChoice, "tool_choice: Input should be an object of type 'auto', 'any', 'tool' or 'none'");
  ensure(choice.type !== 'tool' || typeof choice.name === 'string', 'tool_choice.tool.name: Field required');
}

function checkMessage(message: unknown, index: number): void {
  const at = `messages.${index}`;
  ensure(isJsonObject(message), `${at}: Input should be an object`);
  ensure(ROLES.includes(String(message.role)), `${at}.role: Input should be 'user', 'assistant' or 'system'`);
  if (typeof message.content === 'string') return;
  ensure(Array.isArray(message.content), `${at}.content: Input should be a string or a list of blocks`);
  const wrong = message.content.findIndex((block) => !isBlock(block));
  ensure(wrong < 0, `${at}.content.${wrong}: Input should be an object with a type`);
}

/** The names of the declared tools. */
function checkTools(
  request: AnthropicRequest,
  { strict, maxTools }: { readonly strict: boolean; readonly maxTools: number },
): ReadonlySet<string> {
  const names = new Set<string>();
  const tools: unknown = request.tools ?? [];
  if (!Array.isArray(tools)) throw refused('invalid_request', 'tools: Input should be a list');
  // The search tool does not search itself.
  const count = tools.filter((tool: unknown) => !isJsonObject(tool) || readSearchTool(tool) === undefined).length;
  if (count > maxTools) throw refused('too_many_tools', `tools: at most ${maxTools} tools are allowed`);
  tools.forEach((tool: unknown, index) => {
    const name = checkTool(tool, index);
    if (name === undefined) return;
    if (names.has(name)) throw refused('duplicate_tool', 'tools: Tool names must be unique.', { name });
    names.add(name);
    if (strict && isMarked(tool) && isJsonObject(tool) && isJsonObject(tool.cache_control)) {
      const text = `Tool '${name}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`;
      throw refused('invalid_policy', text, { name });
    }
  });
  if (tools.length > 0 && tools.every(isMarked)) {
    throw refused('invalid_policy', 'All tools have defer_loading set. At least one tool must be non-deferred.');
  }
  return names;
}

/** A toolset has no name. */
function checkTool(tool: unknown, index: number): string | undefined {
  if (!isJsonObject(tool)) throw refused('invalid_tool', `tools.${index}: Input should be an object`);
  if (isUnknownSearch(tool)) throw unknownSearch(tool.type, index);
  const search = readSearchTool(tool);
  if (search !== undefined) return search.name;
  const isCustom = typeof tool.type !== 'string' || tool.type === 'custom';
  if (!isCustom) return typeof tool.name === 'string' ? tool.name : undefined;
  if (typeof tool.name !== 'string') throw refused('invalid_tool', `tools.${index}.custom.name: Field required`);
  if (!NAME.test(tool.name)) {
    throw refused('invalid_tool', `tools.${index}.custom.name: String should match pattern '${NAME.source}'`);
  }
  if (!isJsonObject(tool.input_schema)) {
    throw refused('invalid_tool', `tools.${index}.custom.input_schema: Field required`);
  }
  return tool.name;
}

function unknownSearch(type: string, index: number): AnthropicRequestError {
  const known = Object.values(SEARCH_TOOL_TYPES).join("', '");
  const text = `tools.${index}: Input tag '${type.slice(0, 200)}' does not match any of the expected tags: '${known}'`;
  return refused('invalid_tool', text);
}

function isMarked(tool: unknown): boolean {
  return isJsonObject(tool) && tool.defer_loading === true;
}

/** What version 2026-10-21 no longer accepts. */
function checkVersion(request: AnthropicRequest, version: string): void {
  if (version < '2026-10-21') return;
  for (const key of ['temperature', 'top_p', 'top_k']) {
    if (request[key] !== undefined && request[key] !== null) {
      throw refused('unsupported_request', `${key}: not supported by anthropic-version ${version}; leave it out`);
    }
  }
  for (const [index, message] of request.messages.entries()) {
    for (const [place, block] of blocksOf(message).entries()) {
      const at = `messages.${index}.content.${place}`;
      if (message.role === 'assistant' && block.type === 'document') {
        throw refused('invalid_request', `${at}: a document is not allowed in an assistant message`);
      }
      if (message.role === 'user' && Array.isArray(block.citations) && block.citations.length > 0) {
        throw refused('invalid_request', `${at}: a text block with citations is not allowed in a user message`);
      }
    }
  }
}

/** Checks that calls and results are paired, in their places. */
function checkPairs(messages: readonly AnthropicMessage[]): void {
  const history = readHistory(messages);
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const open = blocks.flatMap((block) => (isToolUse(block) && !history.answeredCalls.has(block) ? [block.id] : []));
    if (message.role === 'assistant' && open.length > 0) {
      const text = `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      throw refused('invalid_request', text, { ids: open });
    }
    for (const [place, block] of blocks.entries()) {
      const at = `messages.${index}.content.${place}`;
      if (message.role === 'user' && isToolResult(block) && !history.callOf.has(block)) {
        const text = `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
        throw refused('invalid_request', text, { id: block.tool_use_id });
      }
      if (isSearchResult(block) && !history.searchResults.has(block)) {
        const text = `${at}: unexpected \`tool_use_id\` found in \`tool_search_tool_result\` blocks: ${block.tool_use_id}. Each \`tool_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`;
        throw refused('invalid_request', text, { id: block.tool_use_id });
      }
    }
  }
}

function checkReferences(messages: readonly AnthropicMessage[], isKnown: (name: string) => boolean): void {
  for (const block of messages.flatMap(blocksOf)) {
    const unknown = namesIn(block).find((name) => !isKnown(name));
    if (unknown === undefined) continue;
    throw refused('unknown_tool', `Tool reference '${unknown}' has no corresponding tool definition`, {
      name: unknown,
    });
  }
}

function namesIn(block: { readonly type: string; readonly content?: unknown }): readonly string[] {
  if (isToolResult(block)) return referencesIn(block.content);
  if (!isSearchResult(block)) return [];
  const outcome = readOutcome(block.content);
  return outcome.kind === 'found' ? outcome.names : [];
}

/** Tools of a connector's server are known to the model as `server_tool`, and declared nowhere. */
function isConnectorTool(request: AnthropicRequest, name: string): boolean {
  const toolsets = (request.tools ?? []).filter((tool: JsonObject) => tool.type === 'mcp_toolset');
  return toolsets.some((toolset) => name.startsWith(`${String(toolset.mcp_server_name)}_`));
}

function ensure(isRight: boolean, otherwise: string): asserts isRight {
  if (!isRight) throw refused('invalid_request', otherwise);
}

function refused(
  code: ErrorCode,
  message: string,
  context: Readonly<Record<string, unknown>> = {},
): AnthropicRequestError {
  return new AnthropicRequestError(code, message, { context });
}

const CHOICES: readonly string[] = ['auto', 'any', 'tool', 'none'];
const ROLES: readonly string[] = ['user', 'assistant', 'system'];
