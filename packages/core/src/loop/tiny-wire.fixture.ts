import { parseTools } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import {
  type DeferPlan,
  definitions,
  EMPTY_MEMORY,
  type Fact,
  type Memory,
  remember,
  type Tell,
  type Unavailable,
  type View,
  wrapCall,
} from '../disclosure/index.ts';
import { type Call, parseArguments, type Step } from '../dispatch/index.ts';
import { orderedReads, type Place, uniqueIds } from './rounds.ts';
import type { Ending, Opened, Read, Reader, Wire, Writer } from './wire.ts';

/** A dialect small enough to read at a glance, with what makes the real ones hard: blocks of several kinds in one message, and searches of which little more than names is kept. */
export interface TinyRequest {
  readonly system?: string;
  readonly tools: readonly TinyTool[];
  readonly messages: readonly TinyMessage[];
  /** A tool that must be called first. */
  readonly force?: string;
  readonly [unknown: string]: unknown;
}

export interface TinyTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: unknown;
}

export type TinyMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly blocks: readonly TinyBlock[] }
  | { readonly role: 'tool'; readonly id: string; readonly text: string };

export type TinyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'search'; readonly id: string; readonly queries: readonly string[] }
  | TinyFound;

export interface TinyFound {
  readonly type: 'found';
  readonly id: string;
  readonly names: readonly string[];
  readonly down?: readonly Unavailable[];
}

export type TinyPart =
  | { readonly type: 'start' }
  | { readonly type: 'ping' }
  | { readonly type: 'text'; readonly text: string }
  /** A call's arguments arrive as text, in pieces. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly piece: string }
  | { readonly type: 'search'; readonly id: string; readonly queries: readonly string[] }
  | TinyFound
  | { readonly type: 'end'; readonly reason: TinyReason; readonly tokens: number };

export type TinyReason = 'end' | 'calls' | 'length' | 'pause';

export const tinyWire: Wire<TinyRequest, TinyPart> = {
  dialect: 'tiny',
  open,
  recall: (request, plan) => (plan.kind === 'inline' ? EMPTY_MEMORY : walk(request, plan).memory),
  render,
  reader,
  writer,
  ping: () => ({ type: 'ping' }),
};

function open(request: TinyRequest): Opened {
  const userText = request.messages.findLast((message) => message.role === 'user')?.text;
  return {
    tools: parseTools(request.tools, { format: 'anthropic' }).tools,
    stream: true,
    ...defined({ userText }),
  };
}

function render(request: TinyRequest, view: View, tell: Tell): TinyRequest {
  const { plan } = view;
  if (plan.kind === 'inline') return request;
  const messages = walk(request, plan, tell).messages;
  const latest = messages.findLastIndex((message) => message.role === 'user');
  return {
    ...request,
    ...(plan.note === undefined ? {} : { system: [request.system, plan.note].filter(Boolean).join('\n\n') }),
    tools: definitions(view).map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    messages: messages.map((message, index) =>
      index === latest && message.role === 'user' && view.tail !== undefined
        ? { ...message, text: `${message.text}\n\n${view.tail}` }
        : message,
    ),
  };
}

/** One pass over the history: what it reveals, and how the model gets to read it. Searches side by side share the memory before them. */
function walk(
  request: TinyRequest,
  plan: DeferPlan,
  tell: Tell = () => '',
): { memory: Memory; messages: readonly TinyMessage[] } {
  let memory = EMPTY_MEMORY;
  const messages: TinyMessage[] = [];
  const answered = new Set(request.messages.flatMap((message) => (message.role === 'tool' ? [message.id] : [])));
  for (const message of request.messages) {
    if (message.role !== 'assistant') {
      if (message.role === 'user') memory = remember(memory, { kind: 'asked' });
      messages.push(message);
      continue;
    }
    for (const round of splitRounds(message.blocks, plan)) {
      const before = memory;
      for (const fact of round.facts) memory = remember(memory, fact);
      const blocks = round.blocks
        .filter((block) => block.type !== 'call' || answered.has(block.id))
        .map((block) => plain(block, plan));
      if (blocks.length > 0) messages.push({ role: 'assistant', blocks });
      for (const search of round.searches) {
        const { id, queries, names, down = [] } = search;
        messages.push({ role: 'tool', id, text: tell({ kind: 'search', queries, names, unavailable: down }, before) });
      }
    }
  }
  return { memory, messages: messages.filter((message) => !isOrphan(message, messages)) };
}

/** A result whose call is gone, as compaction leaves it. */
function isOrphan(message: TinyMessage, messages: readonly TinyMessage[]): boolean {
  if (message.role !== 'tool') return false;
  return !messages.some(
    (other) =>
      other.role === 'assistant' && other.blocks.some((block) => block.type === 'call' && block.id === message.id),
  );
}

interface HistoryRound {
  readonly blocks: TinyBlock[];
  readonly searches: (TinyFound & { readonly queries: readonly string[] })[];
  readonly facts: Fact[];
}

/** Results end a round: what follows them was written after they were read. A search without its result is dropped. */
function splitRounds(blocks: readonly TinyBlock[], plan: DeferPlan): readonly HistoryRound[] {
  const rounds: HistoryRound[] = [];
  let current: HistoryRound = { blocks: [], searches: [], facts: [] };
  let isAnswered = false;
  const results = new Map(blocks.flatMap((block) => (block.type === 'found' ? [[block.id, block] as const] : [])));
  for (const block of blocks) {
    if (block.type === 'found') {
      isAnswered = true;
      continue;
    }
    if (isAnswered) {
      rounds.push(current);
      current = { blocks: [], searches: [], facts: [] };
      isAnswered = false;
    }
    const found = block.type === 'search' ? results.get(block.id) : undefined;
    if (block.type === 'search' && found === undefined) continue;
    current.blocks.push(block);
    const isOwn = block.type === 'call' && plan.own.some((own) => own.name === block.name);
    if (block.type === 'call' && !isOwn) current.facts.push({ kind: 'called', name: block.name });
    if (block.type === 'search' && found !== undefined) {
      current.searches.push({ ...found, queries: block.queries });
      current.facts.push({ kind: 'searched', queries: block.queries, names: found.names });
    }
  }
  return [...rounds, current];
}

function plain(block: TinyBlock, plan: DeferPlan): TinyBlock {
  if (block.type === 'call') return { ...block, ...wrapCall(plan, block) };
  if (block.type !== 'search') return block;
  const name = plan.own.find((own) => own.role === 'search')?.name ?? 'tool_search';
  return { type: 'call', id: block.id, name, arguments: { queries: block.queries } };
}

function reader(holds: (name: string) => boolean): Reader<TinyPart> {
  const reads = orderedReads<TinyPart>();
  const held = new Map<string, { name: string; text: string; place: Place<TinyPart> }>();
  let isCut = false;
  return {
    read(part): readonly Read<TinyPart>[] {
      if (part.type === 'end') {
        isCut = part.reason === 'length';
        return [{ kind: 'close', part }];
      }
      if (part.type !== 'call' || !holds(part.name)) {
        reads.add({ kind: 'forward', part });
        return [...(part.type === 'call' ? [{ kind: 'passed', name: part.name } as const] : []), ...reads.take()];
      }
      const call = held.get(part.id) ?? { name: part.name, text: '', place: reads.reserve() };
      call.text += part.piece;
      held.set(part.id, call);
      return reads.take();
    },
    end() {
      for (const [id, { name, text, place }] of held) {
        const parsed = parseArguments(text);
        if (parsed === undefined && isCut) place.fill({ kind: 'cut', name });
        else place.fill({ kind: 'held', call: { id, name, arguments: parsed ?? text } });
      }
      return reads.take();
    },
  };
}

function writer(request: TinyRequest): Writer<TinyRequest, TinyPart> {
  const unique = uniqueIds({ taken: idsIn(request), prefix: 'call_' });
  const roundIds = new Map<string, string>();
  const sent: TinyBlock[] = [];
  const hidden: { call: Call; text: string }[] = [];
  let tokens = 0;
  let reason: TinyReason = 'end';
  let isOpen = false;
  const idOf = (id: string): string => {
    const known = roundIds.get(id) ?? unique(id);
    roundIds.set(id, known);
    return known;
  };
  const open = (): readonly TinyPart[] => {
    if (isOpen) return [];
    isOpen = true;
    return [{ type: 'start' }];
  };
  return {
    forward(part) {
      if (part.type === 'start') return open();
      const own = part.type === 'call' ? { ...part, id: idOf(part.id) } : part;
      record(sent, own);
      return [...open(), own];
    },
    close(part) {
      if (part.type !== 'end') return;
      tokens += part.tokens;
      reason = part.reason;
    },
    hold: () => open(),
    deliver(step) {
      const parts = callParts(step, idOf);
      for (const part of parts) record(sent, part);
      return parts;
    },
    answer(steps) {
      const parts = steps.flatMap((step) => foundParts(step, idOf));
      for (const part of parts) record(sent, part);
      for (const step of steps) {
        if (step.kind === 'answer' && step.found?.kind !== 'search') hidden.push({ call: step.call, text: step.text });
      }
      return parts;
    },
    extend() {
      roundIds.clear();
      const { force: _, ...rest } = request;
      const extra = hidden.flatMap(({ call, text }): TinyMessage[] => [
        { role: 'assistant', blocks: [{ type: 'call', id: call.id, name: call.name, arguments: call.arguments }] },
        { role: 'tool', id: call.id, text },
      ]);
      return { ...rest, messages: [...request.messages, { role: 'assistant', blocks: [...sent] }, ...extra] };
    },
    finish: (ending) => [...open(), { type: 'end', reason: reasonFor(ending, reason), tokens }],
  };
}

function callParts(step: Step, idOf: (id: string) => string): readonly TinyPart[] {
  if (step.kind === 'calls') {
    return step.calls.map((call) => ({
      type: 'call',
      id: idOf(call.id),
      name: call.name,
      piece: JSON.stringify(call.arguments),
    }));
  }
  if (step.found?.kind !== 'search') return [];
  return [{ type: 'search', id: idOf(step.call.id), queries: step.found.queries }];
}

function foundParts(step: Step, idOf: (id: string) => string): readonly TinyPart[] {
  if (step.kind === 'calls' || step.found?.kind !== 'search') return [];
  const { names, unavailable: down } = step.found;
  return [{ type: 'found', id: idOf(step.call.id), names, ...defined({ down }) }];
}

function reasonFor(ending: Ending, reason: TinyReason): TinyReason {
  return ending === 'done' ? reason : ending;
}

function record(blocks: TinyBlock[], part: TinyPart): void {
  const block = toBlock(blocks, part);
  if (block !== undefined) blocks.push(block);
}

function toBlock(blocks: TinyBlock[], part: TinyPart): TinyBlock | undefined {
  if (part.type === 'text' || part.type === 'search' || part.type === 'found') return part;
  if (part.type !== 'call') return undefined;
  const open = blocks.findIndex((block) => block.type === 'call' && block.id === part.id);
  const before = open < 0 ? undefined : blocks[open];
  const text = `${before?.type === 'call' ? String(before.arguments) : ''}${part.piece}`;
  const block: TinyBlock = { type: 'call', id: part.id, name: part.name, arguments: text };
  if (open < 0) return block;
  blocks[open] = block;
  return undefined;
}

function idsIn(request: TinyRequest): readonly string[] {
  return request.messages.flatMap((message) => {
    if (message.role === 'tool') return [message.id];
    return message.role === 'assistant' ? message.blocks.flatMap((block) => ('id' in block ? [block.id] : [])) : [];
  });
}

/** The blocks that a client keeps of a response. */
export function tinyBlocks(parts: readonly TinyPart[]): readonly TinyBlock[] {
  const blocks: TinyBlock[] = [];
  for (const part of parts) record(blocks, part);
  return blocks;
}
