import { isJsonObject, type Json, type JsonObject } from '../catalog/index.ts';
import type { Call, Step } from '../dispatch/index.ts';
import type { Read, Writer } from './wire.ts';

/** The reads of one round in the model's order, for readers whose calls arrive in pieces. */
export interface OrderedReads<Part> {
  /** What is known now. */
  add(...reads: readonly Read<Part>[]): void;
  /** A slot for a call that is still arriving. Everything after it waits until the slot is filled, with nothing if necessary. */
  reserve(): Place<Part>;
  /** Everything up to the first slot that is not filled. */
  take(): readonly Read<Part>[];
}

/** A slot that is filled later. */
export interface Place<Part> {
  fill(...reads: readonly Read<Part>[]): void;
}

/** Keeps the reads of a round in the model's order while some of them are not known yet. */
export function orderedReads<Part>(): OrderedReads<Part> {
  const waiting: { reads: readonly Read<Part>[] | undefined }[] = [];
  return {
    add(...reads) {
      if (reads.length > 0) waiting.push({ reads });
    },
    reserve() {
      const entry: { reads: readonly Read<Part>[] | undefined } = { reads: undefined };
      waiting.push(entry);
      return {
        fill(...reads) {
          entry.reads = reads;
        },
      };
    },
    take() {
      const end = waiting.findIndex(({ reads }) => reads === undefined);
      return waiting.splice(0, end < 0 ? waiting.length : end).flatMap(({ reads }) => reads ?? []);
    },
  };
}

/** What the client is sent of one round, in the order in which the model wrote it. */
interface OrderedOutput<Part> {
  forward(part: Part): Iterable<Part>;
  hold(call: Call, step: Promise<Step>): Iterable<Part>;
  /** All steps, in the order of their calls. Rejects with the first failure. */
  steps(): Promise<readonly Step[]>;
  /** What was still waiting. Called once all steps are there. */
  rest(): Iterable<Part>;
}

/**
 * Parts before the first held call are sent at once. After it, each part waits until the outcome of the calls before it is known:
 * one of them may become a call for the client, and clients execute calls in the order of their arrival.
 */
export function orderedOutput<Request, Part>(writer: Writer<Request, Part>): OrderedOutput<Part> {
  const waiting: ({ readonly part: Part } | HeldCall)[] = [];
  const held: Promise<Step>[] = [];

  function* drain(): Generator<Part, void, undefined> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ('part' in next) yield* writer.forward(next.part);
      else {
        if (!next.isShown) yield* writer.hold(next.call);
        next.isShown = true;
        if (writer.shows?.(next.call) !== true) {
          if (next.step === undefined) return;
          yield* writer.deliver(next.step);
        }
      }
      waiting.shift();
    }
  }

  return {
    forward(part) {
      if (waiting.length === 0) return writer.forward(part);
      waiting.push({ part });
      return drain();
    },
    hold(call, step) {
      const entry: HeldCall = { call, step: undefined, isShown: false };
      waiting.push(entry);
      held.push(step);
      // A rejection is kept until the steps are requested: an upstream that fails first must not leave it unhandled.
      step.then(
        (settled) => {
          entry.step = settled;
        },
        () => undefined,
      );
      return drain();
    },
    steps: () => Promise.all(held),
    rest: drain,
  };
}

interface HeldCall {
  readonly call: Call;
  /** Once it is known. */
  step: Step | undefined;
  /** Whether `hold` was called for it. */
  isShown: boolean;
}

/** Options of `uniqueIds`. */
export interface UniqueIdOptions {
  /** Ids that are already in the history. */
  readonly taken: Iterable<string>;
  /** The format of ids for the client. @default any non-empty string */
  readonly pattern?: RegExp;
  /** The prefix of an id that does not match the pattern, or is taken: `toolu_`. */
  readonly prefix: string;
}

/**
 * Gives each call a unique id. Upstreams reuse theirs (`call_0` in each round), and a client that matches results by id
 * would then answer the wrong call. Deterministic: the same history and the same stream give the same ids.
 */
export function uniqueIds(options: UniqueIdOptions): (id: string) => string {
  const taken = new Set(options.taken);
  return (id) => {
    const base = fits(id, options.pattern) ? id : `${options.prefix}${id.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
    let unique = base;
    for (let count = 2; taken.has(unique); count += 1) unique = `${base}_${count}`;
    taken.add(unique);
    return unique;
  };
}

function fits(id: string, pattern: RegExp | undefined): boolean {
  return id !== '' && (pattern === undefined || pattern.test(id));
}

/**
 * The usage of two rounds as one: numbers are added at every depth, anything else is the later round's. A count that only one
 * of them has stays.
 */
export function sumUsage(left: JsonObject | undefined, right: JsonObject | undefined): JsonObject | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return addObjects(left, right);
}

function addObjects(left: JsonObject, right: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries([...keys].map((key) => [key, add(own(left, key), own(right, key))]));
}

function add(left: Json | undefined, right: Json | undefined): Json {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (isJsonObject(left) && isJsonObject(right)) return addObjects(left, right);
  return right ?? left ?? null;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * The rest of a client's token limit for its response, after earlier rounds have used some of it: the limit covers
 * all rounds together. At least `least`, because no host accepts a request for zero tokens.
 */
export function remainingTokens(limit: unknown, used: unknown, least = 1): number | undefined {
  if (typeof limit !== 'number' || typeof used !== 'number' || !(used > 0)) return undefined;
  return Math.min(limit, Math.max(least, limit - used));
}

/** A message of the model, or the rest of one, with its parts. */
export interface Spoken<Message, Part> {
  readonly message: Message;
  readonly parts: readonly Part[];
}

export interface RoundRules<Part> {
  /** Whether a part is one of our answers, paired or not: answers are in no round. */
  readonly isAnswer: (part: Part) => boolean;
  /** Our answers that have a call. */
  readonly answers: ReadonlySet<Part>;
  /** Calls of real tools that the client has answered. */
  readonly answered: ReadonlySet<Part>;
  /** Whether a part stays: half a pair does not. */
  readonly isKept: (part: Part) => boolean;
}

/**
 * Splits a model turn into what it wrote between our answers. Answers end a round: what follows them was
 * written after they were read. Not so if the client has a call of the same round to answer: its result is in the next
 * message, and so must the others be.
 */
export function splitRounds<Message, Part>(
  turn: readonly Spoken<Message, Part>[],
  rules: RoundRules<Part>,
): readonly (readonly Spoken<Message, Part>[])[] {
  const rounds: { message: Message; parts: Part[] }[][] = [[]];
  let isAnswered = false;
  let isWaiting = false;
  for (const { message, parts } of turn) {
    let open: Part[] | undefined;
    for (const part of parts) {
      if (rules.isAnswer(part)) {
        isAnswered ||= rules.answers.has(part);
        continue;
      }
      if (isAnswered && !isWaiting) {
        rounds.push([]);
        open = undefined;
        isAnswered = false;
      }
      isWaiting ||= rules.answered.has(part);
      if (!rules.isKept(part)) continue;
      if (open === undefined) {
        open = [];
        rounds.at(-1)?.push({ message, parts: open });
      }
      open.push(part);
    }
  }
  return rounds.filter((round) => round.length > 0);
}
