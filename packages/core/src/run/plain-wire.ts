import type { JsonObject, Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import {
  type DeferPlan,
  type Definition,
  definitions,
  EMPTY_MEMORY,
  type Fact,
  type Memory,
  remember,
  type View,
  wrapCall,
} from '../disclosure/index.ts';
import { type Call, parseArguments, readDefinitions, type Step } from '../dispatch/index.ts';
import { factsOfCall } from '../dispatch/internal.ts';
import { type Opened, type Read, type Reader, uniqueIds, type Wire, type Writer } from '../loop/index.ts';
import type { AssistantMessage, Message, MessageCall, ModelPart, ModelUsage, ToolMessage } from './model.ts';

/** A conversation with a model that has no protocol of its own. */
export interface PlainRequest {
  readonly messages: readonly Message[];
  /** The tools to declare. Empty before a plan is rendered into it. */
  readonly tools: readonly (Definition | Tool)[];
}

/** What a model says, and what a conversation's client sees of it. */
export type PlainPart =
  | ModelPart
  /** A call that the client sees. `tool`: to a real tool, checked and ready to execute. */
  | (MessageCall & { readonly kind: 'made'; readonly tool?: Tool })
  | { readonly kind: 'result'; readonly id: string; readonly content: string; readonly isError: boolean }
  | { readonly kind: 'close'; readonly reason: PlainReason; readonly usage: ModelUsage };

export type PlainReason = 'done' | 'calls' | 'pause' | 'cut';

/** The wire of `runTools`. The client sees everything, so messages contain the whole conversation. */
export const plainWire: Wire<PlainRequest, PlainPart> = {
  dialect: 'plain',
  open,
  recall: (request, plan) => (plan.kind === 'inline' ? EMPTY_MEMORY : recall(request, plan)),
  render,
  reader,
  writer,
};

function open(request: PlainRequest): Opened {
  const latest = request.messages.findLast((message) => message.role === 'user' && typeof message.content === 'string');
  const userText = typeof latest?.content === 'string' ? latest.content : undefined;
  return { tools: readDefinitions(request.tools), stream: true, ...defined({ userText }) };
}

function recall(request: PlainRequest, plan: DeferPlan): Memory {
  const answers = new Map(
    request.messages.flatMap((message) => (message.role === 'tool' ? [[message.id, message.content]] : [])),
  );
  const facts = request.messages.flatMap((message): readonly Fact[] => {
    if (message.role === 'user') return [{ kind: 'asked' }];
    if (message.role !== 'assistant') return [];
    return (message.calls ?? []).flatMap((call) => factsOfCall(plan, { ...call, answer: answers.get(call.id) }));
  });
  return facts.reduce(remember, EMPTY_MEMORY);
}

function render(request: PlainRequest, view: View): PlainRequest {
  const { plan } = view;
  if (plan.kind === 'inline') return request;
  const messages = pairCalls(request.messages).map((message): Message => {
    if (message.role !== 'assistant' || message.calls === undefined) return message;
    return { ...message, calls: message.calls.map((call) => ({ ...call, ...wrapCall(plan, call) })) };
  });
  return { ...request, tools: definitions(view), messages: withNote(withTail(messages, view.tail), plan.note) };
}

function withNote(messages: readonly Message[], note: string | undefined): readonly Message[] {
  if (note === undefined) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: note }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${note}` }, ...rest];
}

function withTail(messages: readonly Message[], tail: string | undefined): readonly Message[] {
  if (tail === undefined) return messages;
  const latest = messages.findLastIndex((message) => message.role === 'user');
  return messages.map((message, index) => {
    if (index !== latest || message.role !== 'user') return message;
    const { content } = message;
    if (typeof content === 'string') return { ...message, content: `${content}\n\n${tail}` };
    return { ...message, content: [...content, { type: 'text', text: tail }] };
  });
}

/** A held call with what the host attached to it. */
type HeldCall = Call & { readonly extra?: JsonObject };

/** Calls wait for the end, which says whether the last one was cut off. */
function reader(holds: (name: string) => boolean): Reader<PlainPart> {
  const calls: HeldCall[] = [];
  let isCut = false;
  return {
    read(part): readonly Read<PlainPart>[] {
      if (part.kind === 'end') {
        isCut = part.isCut === true;
        return [{ kind: 'close', part }];
      }
      if (part.kind !== 'call') return [{ kind: 'forward', part }];
      const { id = `call_${calls.length}`, name, extra, arguments: written } = part;
      calls.push({ id, name, arguments: written, ...defined({ extra }) });
      return [];
    },
    end: () =>
      calls.flatMap((call): readonly Read<PlainPart>[] => {
        const parsed = parseArguments(call.arguments);
        if (parsed === undefined && isCut) return [{ kind: 'cut', name: call.name }];
        const whole = { ...call, arguments: parsed ?? call.arguments };
        if (holds(call.name)) return [{ kind: 'held', call: whole }];
        return [
          { kind: 'passed', name: call.name },
          { kind: 'forward', part: { ...whole, kind: 'made' } },
        ];
      }),
  };
}

function writer(request: PlainRequest): Writer<PlainRequest, PlainPart> {
  const unique = uniqueIds({ taken: idsIn(request.messages), prefix: 'call_' });
  const answered = new Map<Step, string>();
  let { messages } = request;
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let isCut = false;
  const show = (part: PlainPart): PlainPart => {
    messages = addToMessages(messages, part);
    return part;
  };
  return {
    forward: (part) => [show(part.kind === 'made' ? { ...part, id: unique(part.id) } : part)],
    close(part) {
      if (part.kind !== 'end') return;
      isCut = part.isCut === true;
      if (part.usage !== undefined) usage = addUsage(usage, part.usage);
    },
    hold: () => [],
    deliver(step) {
      if (step.kind === 'calls') return realCalls(step, unique).map(show);
      const id = unique(step.call.id);
      answered.set(step, id);
      return [show({ kind: 'made', ...step.call, id })];
    },
    answer: (steps) =>
      steps.flatMap((step) => {
        const id = answered.get(step);
        if (step.kind !== 'answer' || id === undefined) return [];
        return [show({ kind: 'result', id, content: step.text, isError: step.isError === true })];
      }),
    extend: () => ({ ...request, messages }),
    finish(ending) {
      const reason = isCut && ending === 'done' ? 'cut' : ending;
      return [{ kind: 'close', reason, usage }];
    },
  };
}

export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

function realCalls(step: Step & { readonly kind: 'calls' }, unique: (id: string) => string): readonly PlainPart[] {
  const { extra }: HeldCall = step.call;
  return step.calls.map(({ id, name, tool, arguments: checked }, index) => ({
    kind: 'made',
    ...{ id: unique(id), name, tool, arguments: checked },
    ...(index === 0 ? defined({ extra }) : {}),
  }));
}

function idsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [message.id];
    return message.role === 'assistant' ? (message.calls ?? []).map((call) => call.id) : [];
  });
}

/** The messages with one more part of the response. Text after results starts a new message. */
export function addToMessages(messages: readonly Message[], part: PlainPart): readonly Message[] {
  switch (part.kind) {
    case 'text': {
      if (part.text === '') return messages;
      return changeLast(messages, (last) => ({ ...last, content: `${last.content}${part.text}` }));
    }
    case 'made': {
      const { id, name, extra, arguments: input } = part;
      const call = { id, name, arguments: input, ...defined({ extra }) };
      return changeLast(messages, (last) => ({ ...last, calls: [...(last.calls ?? []), call] }));
    }
    case 'result': {
      const { id, content, isError } = part;
      return [...messages, { role: 'tool', id, content, ...(isError ? { isError } : {}) }];
    }
    case 'call':
    case 'end':
    case 'close':
      return messages;
  }
}

function changeLast(
  messages: readonly Message[],
  change: (last: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, change({ role: 'assistant', content: '' })];
  return [...messages.slice(0, -1), change(last)];
}

/**
 * The messages with every call answered and no answer without a call, as models expect: compaction and forks leave halves. Results
 * belong to the assistant's message right before them.
 */
function pairCalls(messages: readonly Message[]): readonly Message[] {
  const paired: Message[] = [];
  for (let index = 0; index < messages.length; ) {
    const message = messages[index];
    index += 1;
    if (message === undefined || message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      paired.push(message);
      continue;
    }
    const results: ToolMessage[] = [];
    for (let next = messages[index]; next?.role === 'tool'; next = messages[index]) {
      results.push(next);
      index += 1;
    }
    paired.push(...pairTurn(message, results));
  }
  return paired;
}

/** Results in the order of their calls. */
function pairTurn(message: AssistantMessage, results: readonly ToolMessage[]): readonly Message[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  const calls = (message.calls ?? []).filter((call) => byId.has(call.id));
  const { calls: _, ...rest } = message;
  if (calls.length === 0) return message.content === '' ? [] : [rest];
  return [{ ...rest, calls }, ...calls.flatMap((call) => byId.get(call.id) ?? [])];
}
