import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { parseArguments, type Step } from '@quartermaster/core/dispatch';
import { toInput } from '@quartermaster/core/internal';
import { type HiddenContent, readSlots, type WireTranscript, weaveSlots } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicRequest,
  blocksOf,
  isSearchResult,
  isServerToolUse,
  isText,
  isToolResult,
  isToolUse,
} from './anthropic-shapes-2026-11.ts';
import { BlockAssembler } from './whole.ts';

/** Marks where a round ended that the client did not see completely, with the results that the model then read. Not a block of the API. */
export interface RoundEnd extends AnthropicBlock {
  readonly type: 'round_end';
  readonly results: readonly AnthropicBlock[];
}

/** How much of a text is compared to identify it. */
const KEY_CHARACTERS = 32;

/** What identifies a block when the client sends it back. */
export function keyOf(block: AnthropicBlock): string {
  if (isCall(block)) return block.id;
  if (isText(block)) return `text:${block.text.slice(0, KEY_CHARACTERS)}`;
  return typeof block.tool_use_id === 'string' ? `${block.type}:${block.tool_use_id}` : block.type;
}

/** The ids in these blocks that a client sends back. */
export function idsIn(blocks: readonly AnthropicBlock[]): readonly string[] {
  return blocks.flatMap((block) => (isCall(block) ? [block.id] : []));
}

function isCall(block: AnthropicBlock): block is AnthropicBlock & { readonly id: string } {
  const isServers = block.type === 'mcp_tool_use' && typeof block.id === 'string';
  return isServers || isToolUse(block) || isServerToolUse(block);
}

export function textIn(blocks: readonly AnthropicBlock[]): string {
  return blocks.flatMap((block) => (isText(block) ? [block.text] : [])).join('\n');
}

/** Blocks, with marks for the ends of rounds, as messages. */
export function splitMessages(
  message: AnthropicMessage | { readonly role: 'assistant' },
  blocks: readonly AnthropicBlock[],
): readonly AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  let content: AnthropicBlock[] = [];
  const speak = (): void => {
    if (content.length > 0) messages.push({ ...message, role: 'assistant', content });
    content = [];
  };
  for (const block of blocks) {
    if (!isRoundEnd(block)) {
      content.push(block);
      continue;
    }
    speak();
    messages.push({ role: 'user', content: block.results });
  }
  speak();
  return messages;
}

/** Results in the order of their calls, then everything else. */
export function inCallOrder(
  blocks: readonly AnthropicBlock[],
  before: readonly AnthropicMessage[],
): readonly AnthropicBlock[] {
  const spoken = before.findLast(({ role }) => role === 'assistant');
  if (spoken === undefined) return blocks;
  const places = new Map(blocksOf(spoken).flatMap((block, place) => (isToolUse(block) ? [[block.id, place]] : [])));
  const placeOf = (block: AnthropicBlock): number =>
    isToolResult(block) ? (places.get(block.tool_use_id) ?? places.size) : Number.POSITIVE_INFINITY;
  return blocks.toSorted((left, right) => {
    const difference = placeOf(left) - placeOf(right);
    return Number.isNaN(difference) ? 0 : difference;
  });
}

/** The transcript of the Messages API, which has blocks for searches, but none for refused calls and descriptions. */
export const anthropicTranscript: WireTranscript<AnthropicRequest> = {
  version: 1,
  pieces: ({ messages }) =>
    messages.map((message) => {
      const blocks = blocksOf(message);
      if (message.role === 'assistant') return { by: 'model', ids: idsIn(blocks), text: textIn(blocks) };
      return message.role === 'user' ? { by: 'client', text: blocks.map(saidIn).join('\n') } : { by: 'none' };
    }),
  weave(request, entries) {
    const found = new Map(entries.flatMap((entry) => entry.pieces.map((index) => [index, entry] as const)));
    const messages: AnthropicMessage[] = [];
    /** Results of the last restored round, until those of the client join them. */
    let waiting: readonly AnthropicBlock[] | undefined;
    const push = (message: AnthropicMessage): void => {
      const results = waiting;
      waiting = message.role === 'system' ? waiting : undefined;
      if (results === undefined || message.role === 'system') messages.push(message);
      else if (message.role === 'user') messages.push(withResults(results, message, messages));
      else messages.push(...(results.length === 0 ? [] : [{ role: 'user' as const, content: results }]), message);
    };
    for (const [index, message] of request.messages.entries()) {
      const entry = found.get(index);
      if (entry === undefined || entry.isAfter) push(message);
      if (entry === undefined) continue;
      const woven = weaveMessage(entry.isAfter ? NOTHING : message, entry.content);
      woven.messages.forEach(push);
      waiting = woven.waiting;
    }
    if (waiting !== undefined && waiting.length > 0) messages.push({ role: 'user', content: waiting });
    return { ...request, messages };
  },
};

/** Replaces a message that the client dropped because it was empty. */
const NOTHING: AnthropicMessage = { role: 'assistant', content: [] };

/** The client's message, preceded by results that it was not shown, in the order of the calls. */
function withResults(
  results: readonly AnthropicBlock[],
  message: AnthropicMessage,
  before: readonly AnthropicMessage[],
): AnthropicMessage {
  const blocks = [...results, ...blocksOf(message)];
  if (!blocks.some(isToolResult)) return message;
  return { ...message, content: inCallOrder(blocks, before) };
}

/** One of the client's messages as the rounds that it consisted of. The results of its last round wait for those of the client. */
function weaveMessage(
  message: AnthropicMessage,
  content: JsonObject,
): { readonly messages: readonly AnthropicMessage[]; readonly waiting: readonly AnthropicBlock[] } {
  const said = blocksOf(message).filter((block) => !isText(block) || block.text !== '');
  const blocks = weaveSlots(readSlots(content.slots), said, keyOf) as readonly AnthropicBlock[];
  const last = blocks.at(-1);
  if (last === undefined || !isRoundEnd(last)) return { messages: splitMessages(message, blocks), waiting: [] };
  return { messages: splitMessages(message, blocks.slice(0, -1)), waiting: last.results };
}

function isRoundEnd(block: AnthropicBlock): block is RoundEnd {
  return block.type === 'round_end' && Array.isArray(block.results) && block.results.every(isJsonObject);
}

function saidIn(block: AnthropicBlock): string {
  if (isText(block)) return block.text;
  // Clients cut and reorder results: they don't identify a conversation.
  if (isToolResult(block)) return '';
  return isSearchResult(block) ? block.tool_use_id : block.type;
}

/** The complete request: the client's messages, what it was sent since, and the calls and answers that it was not shown. */
interface ReplayedRounds {
  /** The client was sent this. */
  add(event: AnthropicEvent): void;
  /** The model made a call here, and the client sees neither it nor its answer. */
  hide(id: string, step: Step & { readonly kind: 'answer' }): void;
  messages(): readonly AnthropicMessage[];
  hidden(): HiddenContent | undefined;
}

export function replayedRounds(request: AnthropicRequest): ReplayedRounds {
  const blocks = new BlockAssembler();
  /** What the model wrote, in its order: the place of a block that the client was sent, or a block that it was not sent. */
  const entries: (number | AnthropicBlock)[] = [];
  let count = 0;
  let results: AnthropicBlock[] = [];

  const endRound = (): void => {
    const end: RoundEnd = { type: 'round_end', results };
    if (results.length > 0) entries.push(end);
    results = [];
  };
  /** The blocks where the model wrote them. Empty texts, which some hosts open and never fill, would be rejected. */
  const written = (): readonly { readonly isShown: boolean; readonly block: AnthropicBlock }[] => {
    const sent = blocks.blocks();
    return entries.flatMap((entry) => {
      const isShown = typeof entry === 'number';
      const block = isShown ? sent[entry] : entry;
      return block === undefined || (isText(block) && block.text === '') ? [] : [{ isShown, block }];
    });
  };

  return {
    add(event) {
      blocks.add(event);
      for (; count < blocks.length; count += 1) entries.push(count);
    },
    hide(id, step) {
      const { arguments: given } = step.call;
      const input = typeof given === 'string' ? toInput(given) : (parseArguments(given) ?? {});
      entries.push({ type: 'tool_use', id, name: step.call.name, input });
      results.push({
        type: 'tool_result',
        tool_use_id: id,
        content: step.text,
        ...(step.isError === true ? { is_error: true } : {}),
      });
    },
    messages() {
      endRound();
      const said = written().map(({ block }) => block);
      return [...request.messages, ...splitMessages({ role: 'assistant' }, said)];
    },
    hidden() {
      endRound();
      const all = written();
      const sent = blocks.blocks();
      if (all.every(({ isShown }) => isShown)) return undefined;
      const slots = all.map(({ isShown, block }) =>
        isShown ? { shown: keyOf(block) } : { hidden: block as JsonObject },
      );
      const calls = all.flatMap(({ isShown, block }) => (isShown || isRoundEnd(block) ? [] : [String(block.id)]));
      return { shown: [{ ids: idsIn(sent), text: textIn(sent) }], calls, content: { slots } as unknown as JsonObject };
    },
  };
}
