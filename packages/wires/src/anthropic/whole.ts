import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { defined, sumUsage, toInput, writtenInput } from '@quartermaster/core/internal';
import type { Whole } from '@quartermaster/core/loop';
import {
  type AnthropicBlock,
  type AnthropicErrorBody,
  type AnthropicEvent,
  type AnthropicResponse,
  type AnthropicUsage,
  blocksOf,
  type MessageDeltaEvent,
} from './anthropic-shapes-2026-11.ts';

/** Splits a whole message into the events of a stream, and joins them again. */
export const anthropicWhole: Whole<AnthropicResponse, AnthropicEvent> = {
  toParts(response) {
    const message = { ...pick(response, isOpening), content: [], stop_reason: null, stop_sequence: null };
    const { beside, delta } = splitClosing(closingFields(response));
    return [
      { type: 'message_start', message },
      ...blocksOf(response).flatMap(blockEvents),
      {
        type: 'message_delta',
        delta: { stop_reason: null, stop_sequence: null, ...delta },
        ...beside,
        ...defined({ usage: response.usage }),
      },
      { type: 'message_stop' },
    ];
  },

  fromParts(events) {
    const blocks = new BlockAssembler();
    let message: AnthropicResponse = { content: [] };
    for (const event of events) {
      blocks.add(event);
      if (event.type === 'error') throw new UpstreamEventError(event.error);
      if (event.type === 'message_start') message = event.message;
      if (event.type === 'message_delta') {
        const { type: _, delta, usage, ...extra } = event;
        const merged = overwriteUsage(message.usage ?? {}, usage);
        message = { ...message, ...extra, ...delta, ...(usage === undefined ? {} : { usage: merged }) };
      }
    }
    return { ...message, content: blocks.blocks() };
  },
};

/**
 * The stream events of a block: clients that read text from deltas find it there. A call without arguments has
 * no delta, as in a stream: nor has a call that the token limit cut, and only the stop reason distinguishes the two.
 */
export function blockEvents(block: AnthropicBlock, index: number): readonly AnthropicEvent[] {
  const { started, deltas } = takeApart(block);
  return [
    { type: 'content_block_start', index, content_block: started },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta }) as const),
    { type: 'content_block_stop', index },
  ];
}

/** A block at its start, and the deltas that complete it. Blocks of other kinds start complete. */
function takeApart(block: AnthropicBlock): { started: AnthropicBlock; deltas: readonly AnthropicBlock[] } {
  const { text, thinking, signature, citations, content } = block;
  switch (block.type) {
    case 'tool_use':
    case 'server_tool_use': {
      if (block.input === undefined || isEmpty(block.input)) break;
      const written = writtenInput(block.input);
      const json = typeof written === 'string' ? written : JSON.stringify(written);
      return { started: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: json }] };
    }
    case 'text': {
      if (typeof text !== 'string' || text === '') break;
      const cited = Array.isArray(citations) ? citations : [];
      const started = { ...block, text: '', ...(cited.length === 0 ? {} : { citations: [] }) };
      const citing = cited.map((citation) => ({ type: 'citations_delta', citation }));
      return { started, deltas: [{ type: 'text_delta', text }, ...citing] };
    }
    case 'thinking': {
      if (typeof thinking !== 'string' || typeof signature !== 'string') break;
      const started = { ...block, thinking: '', signature: '' };
      const said = thinking === '' ? [] : [{ type: 'thinking_delta', thinking }];
      return { started, deltas: [...said, { type: 'signature_delta', signature }] };
    }
    case 'compaction':
      if (typeof content !== 'string' || content === '') break;
      return { started: { ...block, content: '' }, deltas: [{ type: 'compaction_delta', content }] };
  }
  return { started: block, deltas: [] };
}

function isEmpty(input: unknown): boolean {
  return isJsonObject(input) && Object.keys(input).length === 0;
}

interface OpenBlock {
  block: AnthropicBlock;
  json: string;
}

/** Joins events to content blocks, as a client's stream reader does. */
export class BlockAssembler {
  readonly #list: OpenBlock[] = [];
  readonly #byIndex = new Map<number, OpenBlock>();

  add(event: AnthropicEvent): void {
    if (event.type === 'message_start') {
      for (const [index, block] of blocksOf(event.message).entries()) this.#start(index, block);
    } else if (event.type === 'content_block_start') this.#start(event.index, event.content_block);
    else if (event.type === 'content_block_delta') {
      const open = this.#byIndex.get(event.index);
      if (open === undefined) return;
      open.block = withDelta(open.block, event.delta);
      if (event.delta.type === 'input_json_delta') open.json = joined(open.json, event.delta.partial_json);
    }
  }

  get length(): number {
    return this.#list.length;
  }

  /** The blocks so far, in order. */
  blocks(): readonly AnthropicBlock[] {
    return this.#list.map(({ block, json }) => (json === '' ? block : { ...block, input: toInput(json) }));
  }

  #start(index: number, block: AnthropicBlock): void {
    const open = { block, json: '' };
    this.#list.push(open);
    this.#byIndex.set(index, open);
  }
}

/** Deltas of unknown kinds are for the client only. */
function withDelta(block: AnthropicBlock, delta: AnthropicBlock): AnthropicBlock {
  switch (delta.type) {
    case 'text_delta':
      return { ...block, text: joined(block.text, delta.text) };
    case 'thinking_delta':
      return { ...block, thinking: joined(block.thinking, delta.thinking) };
    case 'signature_delta':
      return { ...block, signature: delta.signature };
    case 'citations_delta':
      return { ...block, citations: [...(Array.isArray(block.citations) ? block.citations : []), delta.citation] };
    case 'compaction_delta':
      return { ...block, content: joined(block.content, delta.content) };
    default:
      return block;
  }
}

function joined(before: unknown, added: unknown): string {
  return `${typeof before === 'string' ? before : ''}${typeof added === 'string' ? added : ''}`;
}

/**
 * What the rounds of a response report besides their content. A response has what each of them reported: a container that only the
 * second one opened, the edits of all, the reason of the last.
 */
export class ResponseClosing {
  /** All rounds as one event; undefined if none has ended. */
  merged: MessageDeltaEvent | undefined;
  #hasBegun = false;

  /** A round begins. The start of the first one is forwarded unchanged. */
  begin(message: AnthropicResponse): void {
    if (this.#hasBegun) {
      const late = lateFields(message);
      const { beside, delta } = splitClosing(late);
      if (Object.keys(late).length > 0) this.add({ type: 'message_delta', ...beside, delta });
    }
    if (this.#hasBegun && typeof message.stop_reason === 'string') {
      const { stop_reason, stop_sequence = null } = message;
      const before = this.merged;
      this.merged = { type: 'message_delta', ...before, delta: { ...before?.delta, stop_reason, stop_sequence } };
    }
    this.#hasBegun = true;
  }

  add(event: MessageDeltaEvent): void {
    if (this.merged === undefined) {
      this.merged = event;
      return;
    }
    const { type, delta, ...fields } = this.merged;
    const { type: _, delta: later, ...laterFields } = event;
    this.merged = { type, ...mergeFields(fields, laterFields), delta: mergeFields(delta, later) };
  }
}

/** What a message says at its start and nowhere else. */
const OPENING: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'content', 'usage']);

function isOpening(key: string): boolean {
  return OPENING.has(key);
}

function pick(fields: object, isPicked: (key: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => isPicked(key, value)));
}

/** The fields of a whole message that a stream has at its end. */
function closingFields(message: AnthropicResponse): Record<string, unknown> {
  return pick(message, (key) => !isOpening(key));
}

/** What a stream's last event has next to its delta: clients don't look for it inside. */
const BESIDE_DELTA: ReadonlySet<string> = new Set(['context_management', 'input_transformations']);

function splitClosing(fields: Record<string, unknown>): Record<'beside' | 'delta', Record<string, unknown>> {
  return { beside: pick(fields, (key) => BESIDE_DELTA.has(key)), delta: pick(fields, (key) => !BESIDE_DELTA.has(key)) };
}

/** A round that has only begun has no stop reason. */
function lateFields(message: AnthropicResponse): Record<string, unknown> {
  return pick(closingFields(message), (key, value) => !key.startsWith('stop_') && value !== null);
}

/** The later round's fields, except that empty values replace nothing and lists of edits are joined. */
function mergeFields<Fields extends object>(before: Fields, after: object): Fields {
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(before));
  for (const [key, value] of Object.entries(after)) {
    const known = merged[key];
    if (value === null && known !== undefined && !key.startsWith('stop_')) continue;
    merged[key] = key === 'context_management' ? mergeEdits(known, value) : value;
  }
  return merged as Fields;
}

function mergeEdits(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const edits = [before.applied_edits, after.applied_edits].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...before, ...after, applied_edits: edits };
}

/** What one call reports twice: the later report wins unless it is null, as clients read it. */
function overwriteUsage(before: AnthropicUsage, after: unknown): AnthropicUsage {
  if (!isJsonObject(after)) return before;
  return { ...before, ...pick(after, (_, value) => value !== null) };
}

/** The usage of a response over its upstream calls. */
export class ResponseUsage {
  #before: AnthropicUsage = {};
  #current: AnthropicUsage = {};
  /** What the only round so far reported at its end. */
  #reported: AnthropicUsage | undefined;
  #rounds = 0;

  /** A call begins, and reports its input tokens. */
  begin(usage: unknown): void {
    this.#rounds += 1;
    this.#before = add(this.#before, this.#current);
    this.#current = overwriteUsage({}, usage);
  }

  report(usage: unknown): void {
    if (isJsonObject(usage)) this.#reported = usage;
    this.#current = overwriteUsage(this.#current, usage);
  }

  /** How many tokens the model has written so far. */
  written(): number {
    return (this.#before.output_tokens ?? 0) + (this.#current.output_tokens ?? 0);
  }

  /** The sum, with the searches that ran here added to those that the upstream ran. */
  total(searches: number): AnthropicUsage {
    // One round without a search is the host's own response, unchanged.
    if (this.#rounds <= 1 && searches === 0 && this.#reported !== undefined) return this.#reported;
    const usage = { output_tokens: 0, ...add(this.#before, this.#current) };
    return searches === 0 ? usage : add({ server_tool_use: NO_REQUESTS }, add(usage, ran(searches)));
  }
}

const NO_REQUESTS = { web_search_requests: 0, web_fetch_requests: 0, tool_search_requests: 0 };

function ran(searches: number): AnthropicUsage {
  return { server_tool_use: { tool_search_requests: searches } };
}

/** Iterations are listed one by one: those of a later round follow those of an earlier one. */
function add(left: AnthropicUsage, right: AnthropicUsage): AnthropicUsage {
  const sum = sumUsage(left as JsonObject, right as JsonObject) ?? {};
  const iterations = [left.iterations, right.iterations].filter(Array.isArray);
  return iterations.length < 2 ? sum : { ...sum, iterations: iterations.flat() };
}

/** Two responses of one turn as one: with the id of the first, the end of the last, and the content and usage of both. */
export function joinResponses(before: AnthropicResponse, after: AnthropicResponse): AnthropicResponse {
  const { id, content, usage = {} } = before;
  return {
    ...mergeFields(before, after),
    id,
    content: [...content, ...after.content],
    usage: add(usage, overwriteUsage({}, after.usage)),
  };
}

/** An `error` event within an upstream's stream. Carries the error's body, so that a surface can forward it unchanged. */
export class UpstreamEventError extends UpstreamError {
  override readonly name = 'UpstreamEventError';
  override readonly body: AnthropicErrorBody;

  constructor(body: AnthropicErrorBody) {
    super({
      code: 'refused',
      message: `The upstream ended its stream with ${body.type}: ${body.message}`,
      context: { type: body.type },
    });
    this.body = body;
  }
}
