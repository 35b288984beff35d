import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { uniqueIds } from '@quartermaster/core/loop';
import type { ProviderFields } from '../internal/seal.ts';

/** What is open between an `open` and its `close`. */
export type OpenedBlock =
  | { readonly kind: 'text' }
  | { readonly kind: 'reasoning'; readonly metadata: Metadata }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      /** Whether the provider executes it itself. */
      readonly isExecuted: boolean;
      readonly metadata: Metadata;
    };

export type Metadata = ProviderFields;
type FilePart = Extract<LanguageModelV4StreamPart, { type: 'file' }>;
export type SourcePart = Extract<LanguageModelV4StreamPart, { type: 'source' }>;
type ResultPart = Extract<LanguageModelV4StreamPart, { type: 'tool-result' }>;

/** A model's stream with one block open at a time. */
export type BlockEvent =
  | { readonly type: 'open'; readonly block: OpenedBlock }
  /** Text, reasoning, or a piece of a call's JSON. */
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'close'; readonly metadata: Metadata }
  | { readonly type: 'file'; readonly file: FilePart }
  /** The source of the open text: a page or a document. */
  | { readonly type: 'source'; readonly source: SourcePart }
  /** For a call that the provider executed. */
  | { readonly type: 'result'; readonly result: ResultPart };

export interface Finish {
  readonly usage: LanguageModelV4Usage;
  readonly reason: LanguageModelV4FinishReason;
}

export interface PartSerialiser {
  read(part: LanguageModelV4StreamPart): readonly BlockEvent[];
  /** The stream has ended: open blocks are closed. */
  end(): readonly BlockEvent[];
}

/**
 * Models may write several blocks at a time, distinguished by id; clients read one after the other. The block that began
 * first is forwarded as it arrives, later ones wait until it is closed.
 *
 *     a: "Hel"  b: "{"  a: "lo"  b: "}"  a: end  b: end   →   open a, "Hel", "lo", close a, open b, "{", "}", close b
 *
 * Sources belong to a text. Providers report them before it, inside it, or right after its end, so a text that has ended is closed
 * by the next part that is not a source. Sources without any text after them get an empty one.
 */
export function createPartSerialiser(): PartSerialiser {
  const queue: QueuedBlock[] = [];
  /** By the provider's id, which several calls of one response may share. */
  const calls = new Map<string, QueuedBlock[]>();
  const unique = uniqueIds({ taken: [], prefix: 'call_' });
  /** The last text, which has ended but is not closed yet. */
  let ended: QueuedBlock | undefined;
  /** Sources whose text has not begun. */
  const early: BlockEvent[] = [];

  const find = (key: string): QueuedBlock | undefined => queue.find((block) => block.key === key && !block.isClosed);
  const begin = (key: string, block: OpenedBlock): QueuedBlock => {
    const metadata = block.kind === 'text' ? {} : block.metadata;
    const waiting: BlockEvent[] = [{ type: 'open', block }];
    if (block.kind === 'text') waiting.push(...early.splice(0));
    const queued = { key, waiting, metadata, isClosed: false, isFilled: false, isCalled: false };
    queue.push(queued);
    return queued;
  };
  const beginCall = (id: string, block: OpenedBlock): QueuedBlock => {
    const queued = begin(`call ${id}`, block);
    calls.set(id, [...(calls.get(id) ?? []), queued]);
    return queued;
  };
  const fill = (block: QueuedBlock, text: string): void => {
    if (text === '') return;
    block.isFilled = true;
    block.waiting.push({ type: 'delta', text });
  };
  const close = (block: QueuedBlock): void => {
    if (block.isClosed) return;
    block.isClosed = true;
    block.waiting.push({ type: 'close', metadata: block.metadata });
  };
  const single = (event: BlockEvent): void => {
    queue.push({ key: '', waiting: [event], metadata: {}, isClosed: true, isFilled: true, isCalled: true });
  };
  /** Some providers start a text with its first piece. */
  const running = (kind: 'text' | 'reasoning', id: string): QueuedBlock =>
    find(`${kind} ${id}`) ?? begin(`${kind} ${id}`, kind === 'text' ? { kind } : { kind, metadata: {} });

  const closeEnded = (): void => {
    if (ended !== undefined) close(ended);
    ended = undefined;
  };
  const cite = (source: SourcePart): void => {
    const event: BlockEvent = { type: 'source', source };
    const text = queue.findLast(({ key, isClosed }) => key.startsWith('text ') && !isClosed);
    (text?.waiting ?? early).push(event);
  };

  const take = (part: LanguageModelV4StreamPart): void => {
    if (part.type !== 'source') closeEnded();
    switch (part.type) {
      case 'source':
        cite(part);
        return;
      case 'text-start':
      case 'text-delta':
      case 'text-end': {
        const block = running('text', part.id);
        if (part.type === 'text-delta') fill(block, part.delta);
        if (part.type === 'text-end') ended = block;
        return;
      }
      case 'reasoning-start':
        begin(`reasoning ${part.id}`, { kind: 'reasoning', metadata: part.providerMetadata ?? {} });
        return;
      case 'reasoning-delta':
      case 'reasoning-end': {
        const block = running('reasoning', part.id);
        block.metadata = merge(block.metadata, part.providerMetadata);
        if (part.type === 'reasoning-delta') fill(block, part.delta);
        else close(block);
        return;
      }
      case 'tool-input-start': {
        const { id, toolName: name, providerExecuted: isExecuted = false, providerMetadata: metadata = {} } = part;
        beginCall(id, { kind: 'call', id: unique(id), name, isExecuted, metadata });
        return;
      }
      case 'tool-input-delta': {
        const block = calls.get(part.id)?.at(-1);
        if (block !== undefined && !block.isClosed) fill(block, part.delta);
        return;
      }
      case 'tool-input-end': {
        // A call without a piece still arrives whole.
        const block = calls.get(part.id)?.find(({ isClosed }) => !isClosed);
        if (block?.isFilled === true) close(block);
        return;
      }
      case 'tool-call': {
        const { toolCallId: id, toolName: name, input } = part;
        const { providerExecuted: isExecuted = false, providerMetadata: metadata = {} } = part;
        const begun = calls.get(id)?.find(({ isCalled }) => !isCalled);
        const block = begun ?? beginCall(id, { kind: 'call', id: unique(id), name, isExecuted, metadata });
        block.isCalled = true;
        if (!block.isFilled) fill(block, input);
        close(block);
        return;
      }
      case 'tool-result':
        if (part.preliminary !== true) single({ type: 'result', result: part });
        return;
      case 'file':
        single({ type: 'file', file: part });
        return;
      default:
        return;
    }
  };

  const drain = (): readonly BlockEvent[] => {
    const events: BlockEvent[] = [];
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      events.push(...head.waiting.splice(0));
      if (!head.isClosed) break;
      queue.shift();
    }
    return events;
  };

  return {
    read(part) {
      take(part);
      return drain();
    },
    end() {
      if (early.length > 0) begin('text', { kind: 'text' });
      for (const block of queue) close(block);
      return drain();
    },
  };
}

interface QueuedBlock {
  readonly key: string;
  readonly waiting: BlockEvent[];
  metadata: Metadata;
  isClosed: boolean;
  isFilled: boolean;
  /** Whether its call has arrived whole. */
  isCalled: boolean;
}

/** Later fields of a provider replace earlier ones, unless they are empty. */
function merge(before: Metadata, added: Metadata | undefined): Metadata {
  if (added === undefined) return before;
  const merged = Object.entries(added).map(([provider, fields]) => {
    const told = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
    return [provider, { ...before[provider], ...Object.fromEntries(told) }] as const;
  });
  return { ...before, ...Object.fromEntries(merged) };
}
