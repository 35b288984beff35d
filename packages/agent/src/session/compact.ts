import { isJsonObject } from '@quartermaster/core/catalog';
import { cutText } from '@quartermaster/core/internal';
import type { AnthropicMessage, AnthropicRequest, AnthropicResponse } from '@quartermaster/wires/anthropic';
import { blocksOf, textIn } from '../message-content.ts';
import { CHARACTERS_PER_TOKEN, messageTokens } from './message-tokens.ts';

export interface CompactionLimits {
  /** The share of the window at which a conversation is compacted. */
  readonly atShare: number;
  /** The share of the window that the end of the conversation may keep. */
  readonly keepShare: number;
}

/** The defaults of compaction. */
export const COMPACTION_DEFAULTS: CompactionLimits = { atShare: 0.8, keepShare: 0.25 };

export interface Compacting {
  readonly messages: readonly AnthropicMessage[];
  readonly contextTokens: number;
  readonly model: string;
  /** Asks the model, without tools. */
  readonly ask: (request: AnthropicRequest, signal: AbortSignal) => Promise<AnthropicResponse>;
  readonly signal: AbortSignal;
}

export interface Compacted {
  readonly messages: readonly AnthropicMessage[];
  /** The tokens of the summary, if the model wrote it. */
  readonly usage: unknown;
}

const SUMMARY_TOKENS = 2_000;
const MOST_PROMPT_CHARACTERS = 8_000;

/**
 * The conversation with its older part summarized by the model. The user's latest words stay as they are. If the model can't be
 * reached, only the summary is lost: the user's words replace the older part. Undefined if nothing can be dropped.
 */
export async function compact(compacting: Compacting): Promise<Compacted | undefined> {
  const { messages, contextTokens } = compacting;
  const split = splitConversation(messages, contextTokens * COMPACTION_DEFAULTS.keepShare);
  if (split === undefined) return undefined;
  const { text, usage } = await summarize(split, compacting);
  const latest = userTexts(split.kept).length > 0 ? undefined : userTexts(split.dropped).at(-1);
  const said = latest === undefined ? '' : `\n\nThe user's latest message:\n${cutText(latest, MOST_PROMPT_CHARACTERS)}`;
  const opening = `The earlier part of this conversation was left out to save room. Tools that were found in it have to be searched for again. Summary:\n${text}${said}`;
  return { messages: withOpening(opening, split.kept), usage };
}

async function summarize(
  { dropped }: SplitConversation,
  { model, contextTokens, ask, signal }: Compacting,
): Promise<{ readonly text: string; readonly usage: unknown }> {
  const room = Math.floor(contextTokens / 2) * CHARACTERS_PER_TOKEN;
  try {
    const request = {
      model,
      max_tokens: Math.min(SUMMARY_TOKENS, Math.max(1, Math.floor(contextTokens / 8))),
      system: SUMMARY_PROMPT,
      messages: [{ role: 'user', content: transcript(dropped, room) }],
    };
    const response = await ask(request, signal);
    const text = textIn(response.content);
    if (text.trim() !== '') return { text, usage: response.usage };
  } catch {
    signal.throwIfAborted();
  }
  const texts = userTexts(dropped).map((text) => `- ${cutText(text, 500)}`);
  return { text: `The user said:\n${cutText(texts.join('\n'), MOST_PROMPT_CHARACTERS)}`, usage: undefined };
}

/** Roles alternate: if the kept part begins with the user, the summary becomes part of that message. */
function withOpening(text: string, kept: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  const [first, ...rest] = kept;
  const opening = { type: 'text', text };
  if (first?.role !== 'user') return [{ role: 'user', content: [opening] }, ...kept];
  return [{ ...first, content: [opening, ...blocksOf(first)] }, ...rest];
}

const SUMMARY_PROMPT =
  'Sum up this conversation between a user, an assistant and its tools, so that the assistant can go on with it: what the user wants, what was done and found out (names, numbers and paths exactly), what is still to do. Write the summary only.';

interface SplitConversation {
  /** Dropped: at least one message. */
  readonly dropped: readonly AnthropicMessage[];
  /** Kept unchanged: at least one message. */
  readonly kept: readonly AnthropicMessage[];
}

/**
 * Splits a conversation so that its end takes at most a number of tokens. The kept part never begins with results whose calls
 * are dropped. Undefined if nothing can be dropped.
 */
export function splitConversation(
  messages: readonly AnthropicMessage[],
  keepTokens: number,
): SplitConversation | undefined {
  let start = messages.length;
  let tokens = 0;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    tokens += messageTokens(message);
    if (tokens > keepTokens && start < messages.length) break;
    if (!holdsResults(message)) start = index;
  }
  if (start === 0 || start === messages.length) return undefined;
  return { dropped: messages.slice(0, start), kept: messages.slice(start) };
}

function holdsResults(message: AnthropicMessage): boolean {
  return message.role === 'user' && blocksOf(message).some(({ type }) => type === 'tool_result');
}

const MOST_RESULT_CHARACTERS = 2_000;

/** A conversation as text, for a model that summarizes it. If it is too long, the middle is cut, because it begins with the task. */
export function transcript(messages: readonly AnthropicMessage[], mostCharacters: number): string {
  const text = messages
    .map((message) => `${message.role}: ${blocksOf(message).map(blockText).join('\n')}`)
    .join('\n\n');
  if (text.length <= mostCharacters) return text;
  const half = Math.floor(mostCharacters / 2);
  // Hosts reject half a character.
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${cutText(text, half)}\n\n[${text.length - 2 * half} characters left out]\n\n${tail}`;
}

/** What the user said, in order: it must survive if no summary can be written. */
function userTexts(messages: readonly AnthropicMessage[]): readonly string[] {
  const said = messages.filter(({ role }) => role === 'user').map((message) => textIn(blocksOf(message)));
  return said.filter((text) => text.trim() !== '');
}

function blockText(block: unknown): string {
  if (!isJsonObject(block)) return '';
  switch (block.type) {
    case 'text':
      return String(block.text);
    case 'tool_use':
    case 'server_tool_use':
      return `[calls ${String(block.name)} with ${cutText(JSON.stringify(block.input) ?? '', MOST_RESULT_CHARACTERS)}]`;
    case 'tool_result': {
      const { content } = block;
      const text = typeof content === 'string' ? content : textIn(Array.isArray(content) ? content : []);
      return `[result: ${cutText(text, MOST_RESULT_CHARACTERS)}]`;
    }
    default:
      return '';
  }
}
