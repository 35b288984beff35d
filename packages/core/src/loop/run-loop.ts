import type { Tool } from '../catalog/index.ts';
import { untilAborted } from '../clock.ts';
import type { Memory, Plan, Tell, View } from '../disclosure/index.ts';
import type { Caller, Prefetched, Resolved, Step, Toolbox, ToolOutcome } from '../dispatch/index.ts';
import { localCalls } from './local-calls.ts';
import { orderedOutput } from './rounds.ts';
import type { Ending, Opened, Read, Reader, Upstream, Whole } from './wire.ts';
import { type HistoryOptions, weaveHistory } from './woven-history.ts';

/** What the loop needs for one response. */
export interface LoopOptions<Request, Part> extends HistoryOptions<Request, Part> {
  readonly upstream: Upstream<Request, Part>;
  readonly toolbox: Toolbox;
  readonly plan: Plan;
  /** @default a caller that may use everything */
  readonly caller?: Caller;
  /**
   * How many times the upstream is called for one response, at least 1. At the limit the response ends as a pause.
   * @default 12
   */
  readonly maxRounds?: number;
  /** Whether calls of a tool are executed here instead of being forwarded to the client. @default none */
  readonly isLocal?: (tool: Tool) => boolean;
  /** Executes such a call. Rejects only with the reason of an aborted signal. @default the toolbox's own `execute` */
  readonly execute?: (resolved: Resolved, signal: AbortSignal) => Promise<ToolOutcome>;
  /** Whether the latest user message is searched before the first round. @default false */
  readonly prefetch?: boolean;
  /** Whether later requests may refer to the response by its id alone, also if its host stores nothing. @default false */
  readonly storesResponses?: boolean;
  /** The request as the wire opened it. @default it is opened for a prefetch */
  readonly opened?: Opened;
  /**
   * Called when the response pauses at the round limit, with what would have been sent next: for a caller that continues later. Must
   * not throw.
   */
  readonly onPause?: (turn: PausedTurn<Request>) => void;
  /** Called before each request to the upstream. Must not throw. */
  readonly onRound?: (round: LoopRound<Request>) => void;
}

/** One call to the upstream for a response. */
export interface LoopRound<Request> {
  /** From 1. */
  readonly round: number;
  /** The request that is sent. */
  readonly request: Request;
  /** What the conversation has shown so far. */
  readonly memory: Memory;
  /** What it was rendered with. */
  readonly view: View;
}

/** Where a response has paused. */
export interface PausedTurn<Request> {
  /** The client's request, with the hidden parts of earlier responses. */
  readonly before: Request;
  /** The same with everything that this response added to it, including hidden calls and their answers. */
  readonly after: Request;
}

/** The default limits of the loop. */
export const LOOP_DEFAULTS: { readonly maxRounds: number } = { maxRounds: 12 };

/**
 * The search loop, once for all protocols. Each round renders the request, streams it from the upstream, forwards the
 * client's parts, holds calls to our tools, answers them, and extends the request; until a round holds nothing, or the client has
 * calls to answer. The client gets everything in the model's order: what follows a held call waits until its outcome is
 * known. While the model writes, what a search will need is built. The hidden parts of earlier responses are restored
 * in the request first, and those of this response are stored at its end.
 *
 * An upstream's error is thrown unchanged: before the first part nothing has been sent yet, so a surface can still answer with
 * its status. Returning early aborts the upstream first and waits for nothing else.
 */
export function runLoop<Request, Part>(options: LoopOptions<Request, Part>): AsyncIterableIterator<Part> {
  return cancellable((signal) => rounds(options, signal), options.signal);
}

async function* rounds<Request, Part>(
  options: LoopOptions<Request, Part>,
  signal: AbortSignal,
): AsyncGenerator<Part, void, undefined> {
  const { wire, upstream, toolbox, plan, caller = {}, isLocal, execute, storesResponses = false } = options;
  signal.throwIfAborted();
  const local = isLocal === undefined ? undefined : localCalls({ toolbox, caller, signal, isLocal, execute });
  const maxRounds = Math.max(1, options.maxRounds ?? LOOP_DEFAULTS.maxRounds);
  const tell: Tell = (found, before) => toolbox.tell({ plan, found, before, caller });
  const prefetched = options.prefetch === true ? await prefetch(options, signal) : undefined;
  const history = await weaveHistory({ ...options, signal });
  const writer = wire.writer(history.request, plan, {
    taken: history.ids,
    asked: options.asked ?? options.request,
    storesResponses,
  });
  let { request } = history;
  const pending = wire.pending?.(request, plan) ?? [];
  if (pending.length > 0) {
    const memory = wire.recall(request, plan);
    const steps = pending.map((call) => toolbox.handle({ plan, call, memory, caller, signal }));
    request = writer.resume?.(await untilAborted(Promise.all(steps), signal)) ?? request;
  }

  for (let round = 1; ; round += 1) {
    const memory = wire.recall(request, plan);
    const view = toolbox.view(plan, memory, { prefetched, caller });
    const rendered = wire.render(request, view, tell);
    options.onRound?.({ round, request: rendered, memory, view });
    const holds = toolbox.holds(plan, memory, { caller });
    const reader = wire.reader((name) => holds(name) || local?.isName(name) === true, plan);
    const output = orderedOutput(writer);
    const executed = local?.begin();
    let ends = false;
    let passed = false;

    const reads = readRound(reader, pull(upstream(rendered, signal), signal));
    for await (const read of whileAnswered(reads, () => toolbox.prepare(plan))) {
      switch (read.kind) {
        case 'forward':
          yield* output.forward(read.part);
          break;
        case 'held': {
          const step = toolbox.handle({ plan, call: read.call, memory, caller, signal });
          const isShown = writer.shows?.(read.call) === true;
          yield* output.hold(read.call, executed?.settle(step, { isShown }) ?? step);
          break;
        }
        case 'passed':
          passed = true;
          break;
        case 'cut':
          ends = true;
          break;
        case 'close':
          writer.close(read.part);
          break;
      }
    }

    executed?.end(passed);
    const steps = await untilAborted(output.steps(), signal);
    yield* output.rest();
    if (steps.length > 0) yield* writer.answer(steps);
    const ending = endingOf({ passed, ends, steps, isLast: round >= maxRounds });
    if (ending !== undefined) {
      const hidden = options.transcript === undefined ? undefined : writer.hidden?.(ending);
      // Before the response ends: its client may send it back at once.
      if (hidden !== undefined) await history.keep(hidden);
      if (ending === 'pause') options.onPause?.({ before: history.request, after: writer.extend() });
      yield* writer.finish(ending);
      return;
    }
    request = writer.extend();
    if (wire.ping !== undefined) yield wire.ping();
  }
}

/** Calls that the client must answer end the turn even if searches were answered along with them: their results come first. */
function endingOf(end: {
  readonly passed: boolean;
  readonly ends: boolean;
  readonly steps: readonly Step[];
  readonly isLast: boolean;
}): Ending | undefined {
  if (end.passed || end.steps.some((step) => step.kind === 'calls')) return 'calls';
  if (end.ends || end.steps.length === 0) return 'done';
  return end.isLast ? 'pause' : undefined;
}

async function* readRound<Part>(
  reader: Reader<Part>,
  parts: AsyncIterable<Part>,
): AsyncGenerator<Read<Part>, void, undefined> {
  for await (const part of parts) yield* reader.read(part);
  yield* reader.end();
}

async function prefetch<Request, Part>(
  options: LoopOptions<Request, Part>,
  signal: AbortSignal,
): Promise<Prefetched | undefined> {
  const text = (options.opened ?? options.wire.open(options.request)).userText;
  if (text === undefined) return undefined;
  const { plan, caller = {} } = options;
  return untilAborted(options.toolbox.prefetch({ plan, text, caller, signal }), signal);
}

/** How long a request has to leave before other work may block the thread: about as long as opening a connection takes. */
const HEAD_START_MS = 50;

/**
 * The result of a request, with work that begins once the request has certainly left: when a response arrives, or earlier
 * if that takes long. The work does not begin if the request fails first.
 */
async function* whileAnswered<Value>(
  answer: AsyncIterable<Value>,
  work: () => void,
): AsyncGenerator<Value, void, undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = (): void => {
    if (timer === undefined) return;
    cancel();
    work();
  };
  timer = setTimeout(begin, HEAD_START_MS);
  try {
    for await (const value of answer) {
      begin();
      yield value;
    }
  } finally {
    cancel();
  }
}

/**
 * An iterator over a generator that is stopped by a signal. A generator's own `return()` waits behind a pending
 * `next()`; this one aborts first, so that the pending step ends and the cleanup can begin.
 */
function cancellable<Value>(
  make: (signal: AbortSignal) => AsyncGenerator<Value, void, undefined>,
  outer?: AbortSignal,
): AsyncIterableIterator<Value> {
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) forward();
  else outer?.addEventListener('abort', forward, { once: true });
  const release = (): void => outer?.removeEventListener('abort', forward);

  const generator = make(controller.signal);
  let isReturned = false;
  return {
    async next() {
      try {
        const result = await generator.next();
        if (result.done === true) release();
        return isReturned ? { done: true, value: undefined } : result;
      } catch (error) {
        release();
        if (isReturned) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      isReturned = true;
      release();
      controller.abort();
      await generator.return().catch(() => undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The values of a source, until the signal aborts: then the wait ends at once with the signal's reason, whatever the source
 * does. A source that ignores its signal can't block its reader.
 */
export async function* pull<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const result = await untilAborted(iterator.next(), signal);
      if (result.done === true) {
        isDone = true;
        return;
      }
      yield result.value;
    }
  } catch (error) {
    isDone = !signal.aborted;
    throw error;
  } finally {
    // Not awaited: `return()` queues behind a `next()` that may never settle.
    if (!isDone) Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** What the loop needs for one response that is not streamed. */
export interface WholeOptions<Request, Part, Response> extends Omit<LoopOptions<Request, Part>, 'upstream'> {
  readonly whole: Whole<Response, Part>;
  /** Requests a whole response. */
  readonly upstream: (request: Request, signal: AbortSignal) => Promise<Response>;
}

/** The same loop for a client that does not stream. */
export async function runWhole<Request, Part, Response>(
  options: WholeOptions<Request, Part, Response>,
): Promise<Response> {
  const { whole, upstream, ...rest } = options;
  const parts: Part[] = [];
  const loop = runLoop<Request, Part>({
    ...rest,
    async *upstream(request, signal) {
      yield* whole.toParts(await upstream(request, signal));
    },
  });
  for await (const part of loop) parts.push(part);
  return whole.fromParts(parts);
}
