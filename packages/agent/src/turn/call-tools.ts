import type { Toolbox, ToolOutcome } from '@quartermaster/core';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Answered, CallContext } from '@quartermaster/core/dispatch';
import { untilAborted } from '@quartermaster/core/internal';
import { type ContentPart, readContent } from '@quartermaster/mcp';
import { toInput, writtenInput } from '@quartermaster/wires/anthropic';
import type { ImageSource, SDKContentBlock, SDKResultBlock, SDKUserBlock } from '../sdk-message.ts';

export type ToolUse = Extract<SDKContentBlock, { readonly type: 'tool_use' }>;

interface Calling extends Required<Omit<CallContext, 'call'>> {
  readonly toolbox: Toolbox;
  readonly limits: ContentLimits;
  /** How many characters all results of one response may have. */
  readonly totalCharacters: number;
}

/** Runs the calls of one response in parallel. Each gets an answer, in the order of the calls; none of them rejects. */
export async function callTools(calls: readonly ToolUse[], calling: Calling): Promise<readonly SDKUserBlock[]> {
  const { toolbox, plan, memory, caller, signal } = calling;
  const share = Math.floor(calling.totalCharacters / Math.max(1, calls.length));
  const limits = { ...calling.limits, mostCharacters: Math.min(calling.limits.mostCharacters, share) };
  const answers = calls.map(({ id, name, input }): Answered | Promise<Answered> =>
    isReadable(input)
      ? toolbox.answer({ plan, call: { id, name, arguments: input }, memory, caller, signal })
      : { text: 'The arguments are not a JSON object. Nothing was called.', isError: true, memory, outcomes: [] },
  );
  const answered = await untilAborted(Promise.all(answers), signal);
  return answered.map((answer, index) => toBlock(calls[index]?.id ?? '', answer, limits));
}

function toBlock(id: string, answer: Answered, limits: ContentLimits): SDKUserBlock {
  const [only] = answer.outcomes;
  const outcome = only !== undefined && answer.outcomes.length === 1 ? only : answer;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: resultContent(outcome, limits),
    ...(answer.isError ? { is_error: true } : {}),
  };
}

interface ContentLimits {
  /** How many characters of text a result may have. */
  readonly mostCharacters: number;
  /** Whether the model can be shown images in results. */
  readonly images: boolean;
}

const MOST_IMAGES = 20;
/** In base64: 5 MB of image, the limit of the Messages API. */
const MOST_IMAGE_CHARACTERS = 7_000_000;
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** A tool's result for the model: text and images. Text that is too long is cut, with a sentence that says so; other parts are named. */
export function resultContent(outcome: ToolOutcome, limits: ContentLimits): readonly SDKResultBlock[] {
  const blocks = blocksOf(outcome, limits);
  const total = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= limits.mostCharacters) return blocks;
  let shown = 0;
  let isFull = false;
  const kept = blocks.flatMap((block): readonly SDKResultBlock[] => {
    if (block.type !== 'text') return [block];
    const text = isFull ? '' : cut(block.text, limits.mostCharacters - shown);
    isFull ||= text.length < block.text.length;
    shown += text.length;
    return text === '' ? [] : [{ type: 'text', text }];
  });
  return [
    ...kept,
    {
      type: 'text',
      text: `[The result was cut: it has ${total} characters, of which the first ${shown} are shown. Ask for less at once, such as with a filter, a limit or a range.]`,
    },
  ];
}

function blocksOf({ value, text }: ToolOutcome, limits: ContentLimits): readonly SDKResultBlock[] {
  let images = 0;
  const blocks = readContent(value).flatMap((part): readonly SDKResultBlock[] => {
    const source = limits.images && images < MOST_IMAGES ? imageIn(part) : undefined;
    if (source !== undefined) {
      images += 1;
      return [{ type: 'image', source }];
    }
    const told = textOf(part);
    return told === '' ? [] : [{ type: 'text', text: told }];
  });
  if (blocks.length > 0) return blocks;
  return [{ type: 'text', text: text === '' ? 'The tool gave no result.' : text }];
}

/** What models can see of a part. */
function imageIn(part: ContentPart): ImageSource | undefined {
  if (part.kind !== 'media' || part.type !== 'image') return undefined;
  const { mimeType = '', data = '' } = part;
  if (!IMAGE_TYPES.has(mimeType) || data === '' || data.length > MOST_IMAGE_CHARACTERS) return undefined;
  return { type: 'base64', media_type: mimeType, data };
}

function textOf(content: ContentPart): string {
  switch (content.kind) {
    case 'text':
      return content.text;
    case 'media':
      return `[${content.type} of type ${content.mimeType ?? 'unknown'}, not shown]`;
    case 'link':
      return `[resource ${content.name ?? ''} at ${content.uri ?? 'unknown'}]`;
    case 'file':
      return `[resource of type ${content.mimeType ?? 'unknown'} at ${content.uri ?? 'unknown'}, not shown]`;
    case 'other':
      return content.part.type === 'text' ? '' : asJson(content.part);
  }
}

/** Nesting that JSON.parse accepts can be too deep for JSON.stringify. */
function asJson(part: JsonObject): string {
  try {
    return JSON.stringify(part);
  } catch {
    return `[${typeof part.type === 'string' ? part.type : 'content of unknown type'}, not shown]`;
  }
}

/** Never cuts through a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most);
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}

/**
 * Whether a call's arguments are what the model wrote. Some hosts leave them out if there are none; anything else that is not an object
 * was cut or malformed.
 */
function isReadable(input: unknown): boolean {
  return input === undefined || isJsonObject(writtenInput(input));
}

/** The arguments as an object: hosts accept nothing else in the history. */
export function toObject(input: unknown): JsonObject {
  if (input === undefined) return {};
  return isJsonObject(input) ? input : toInput(typeof input === 'string' ? input : JSON.stringify(input));
}
