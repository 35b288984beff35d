import { isJsonObject } from '@quartermaster/core/catalog';
import type { NamedServers, ServerTool } from '../dialect.ts';
import { type AnthropicBlock, type AnthropicMessage, blocksOf } from './anthropic-shapes-2026-11.ts';
import { inCallOrder } from './anthropic-transcript.ts';

/** Tools of MCP servers that are called within the response: the client sees the calls as `mcp_tool_use`, the model calls functions. */
export interface ServerCalls {
  /** The server's tool for a name that a model wrote. */
  resolve(modelName: string): ServerTool | undefined;
  /** The model's name of a server's tool, whether the tool still exists or not. */
  nameOf(server: string, tool: string): string;
  /** Whether a reference names one of these servers, but none of its tools. */
  isDangling(modelName: string): boolean;
  /** Blocks before everything that the model says. */
  readonly opening: readonly AnthropicBlock[];
}

export function serverCalls({ servers, tools, opening }: NamedServers): ServerCalls {
  const byModelName = new Map(tools.map((tool) => [tool.modelName, tool]));
  const names = new Map(tools.map(({ server, name, modelName }) => [JSON.stringify([server, name]), modelName]));
  return {
    resolve: (modelName) => byModelName.get(modelName),
    nameOf: (server, name) => names.get(JSON.stringify([server, name])) ?? plainName(server, name),
    isDangling: (modelName) =>
      !byModelName.has(modelName) && servers.some((server) => modelName.startsWith(`${server}_`)),
    opening: opening as readonly AnthropicBlock[],
  };
}

/** The limit of providers is 64 characters. */
const MAX_NAME_LENGTH = 64;

/** For a tool that no longer exists: good enough for a history that is only read. */
function plainName(server: string, name: string): string {
  return `${server}_${name}`.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH);
}

type Names = Pick<ServerCalls, 'nameOf' | 'isDangling'>;

/**
 * The messages as a model without a connector reads them: a server's call becomes an ordinary call, and its result a user
 * message after it. A pure function of the blocks, so that a replayed turn gives the same bytes as when it was
 * made.
 *
 * ```
 * assistant: text, mcp_tool_use A, mcp_tool_use B, mcp_tool_result A, mcp_tool_result B, text
 *       becomes
 * assistant: text, tool_use A, tool_use B    user: tool_result A, tool_result B    assistant: text
 * ```
 */
export function renderServerCalls(messages: readonly AnthropicMessage[], names: Names): readonly AnthropicMessage[] {
  const rendered: AnthropicMessage[] = [];
  /** Results that belong at the start of the user's next message. */
  let carried: readonly AnthropicBlock[] = [];
  for (const message of messages) {
    if (message.role === 'user' && carried.length > 0) {
      rendered.push({ ...message, content: inCallOrder([...carried, ...blocksOf(message)], rendered) });
      carried = [];
    } else if (message.role === 'assistant') {
      if (carried.length > 0) rendered.push({ role: 'user', content: carried });
      const turn = renderTurn(message, names);
      rendered.push(...turn.messages);
      carried = turn.carried;
    } else rendered.push(message);
  }
  return carried.length === 0 ? rendered : [...rendered, { role: 'user', content: carried }];
}

interface RenderedTurn {
  readonly messages: readonly AnthropicMessage[];
  readonly carried: readonly AnthropicBlock[];
}

function renderTurn(message: AnthropicMessage, names: Names): RenderedTurn {
  const all = blocksOf(message);
  if (!all.some(isTouched)) return { messages: [message], carried: [] };
  const blocks = all.filter(isReadable);
  const paired = pairsIn(blocks);
  const messages: AnthropicMessage[] = [];
  let turn: AnthropicBlock[] = [];
  let results: AnthropicBlock[] = [];
  let hasClientCall = false;
  for (const block of blocks) {
    if (block.type === 'mcp_tool_result') {
      if (paired.has(block.tool_use_id)) results.push(toResult(block));
      continue;
    }
    if (block.type === 'mcp_tool_listing') continue;
    if (block.type === 'mcp_tool_use' && !paired.has(block.id)) continue;
    // What the model wrote after the results was its next turn, unless one of the client's calls also waits for its result. Results
    // of searches stand among those of the servers.
    if (results.length > 0 && !hasClientCall && block.type !== 'tool_search_tool_result') {
      messages.push({ ...message, content: turn }, { role: 'user', content: results });
      turn = [];
      results = [];
    }
    hasClientCall ||= block.type === 'tool_use';
    turn.push(toPlain(block, names));
  }
  if (turn.length > 0) messages.push({ ...message, content: turn });
  return { messages, carried: results };
}

/** A cut response or a compaction leaves half a pair. */
function pairsIn(blocks: readonly AnthropicBlock[]): ReadonlySet<unknown> {
  const called = new Set<unknown>();
  const paired = new Set<unknown>();
  for (const { type, id, tool_use_id: answered } of blocks) {
    if (type === 'mcp_tool_use') called.add(id);
    if (type === 'mcp_tool_result' && called.has(answered)) paired.add(answered);
  }
  return paired;
}

function toPlain(block: AnthropicBlock, names: Names): AnthropicBlock {
  if (block.type === 'tool_search_tool_result') return withoutDangling(block, names);
  if (block.type !== 'mcp_tool_use') return block;
  const { type: _, id, name, server_name: server, input, ...rest } = block;
  return { type: 'tool_use', id, name: names.nameOf(String(server), String(name)), input, ...rest };
}

function toResult(block: AnthropicBlock): AnthropicBlock {
  const { type: _, tool_use_id, content = '', is_error, ...rest } = block;
  return {
    ...{ type: 'tool_result', tool_use_id },
    content: Array.isArray(content) ? content.map(toText) : content,
    ...(is_error === true ? { is_error } : {}),
    ...rest,
  };
}

/** Results have no citations, and the client learns that. */
function toText(block: unknown): unknown {
  if (!isJsonObject(block) || block.citations !== null) return block;
  const { citations: _, ...text } = block;
  return text;
}

/** A server may have lost a tool since it was found. */
function withoutDangling(block: AnthropicBlock, names: Names): AnthropicBlock {
  const { content } = block;
  if (!isJsonObject(content) || !Array.isArray(content.tool_references)) return block;
  const kept = content.tool_references.filter(
    (one: unknown) => !(isJsonObject(one) && typeof one.tool_name === 'string' && names.isDangling(one.tool_name)),
  );
  if (kept.length === content.tool_references.length) return block;
  return { ...block, content: { ...content, tool_references: kept } };
}

/** A call without a name is not a call, and its result is half a pair. */
function isReadable({ type, id, name, server_name: server }: AnthropicBlock): boolean {
  return type !== 'mcp_tool_use' || [id, name, server].every((value) => typeof value === 'string');
}

function isTouched({ type }: AnthropicBlock): boolean {
  return type.startsWith('mcp_tool_') || type === 'tool_search_tool_result';
}
