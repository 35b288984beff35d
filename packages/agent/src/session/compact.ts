import { cutText } from '@quartermaster/core/internal';
import type { AnthropicMessage, AnthropicRequest, AnthropicResponse } from '@quartermaster/wires/anthropic';
import { CHARACTERS_PER_TOKEN } from './message-tokens.ts';
import { type SplitConversation, splitConversation } from './split-conversation.ts';
import { transcript, userTexts } from './transcript.ts';

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
    const text = response.content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('\n');
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
  const content = typeof first.content === 'string' ? [{ type: 'text', text: first.content }] : first.content;
  return [{ ...first, content: [opening, ...content] }, ...rest];
}

const SUMMARY_PROMPT =
  'Sum up this conversation between a user, an assistant and its tools, so that the assistant can go on with it: what the user wants, what was done and found out (names, numbers and paths exactly), what is still to do. Write the summary only.';
