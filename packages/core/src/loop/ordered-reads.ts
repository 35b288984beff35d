import type { Call, Step } from '../dispatch/index.ts';
import type { Read, Writer } from './wire.ts';

/** The reads of one round in the model's order, for readers whose calls arrive in pieces. */
export interface OrderedReads<Part> {
  /** What is known now. */
  add(...reads: readonly Read<Part>[]): void;
  /** The place of a call that is still arriving. What comes after it waits until the place is filled, with nothing if need be. */
  reserve(): Place<Part>;
  /** All that is known up to the first place that is not filled. */
  take(): readonly Read<Part>[];
}

/** A place in the order that is filled later. */
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
  /** All steps, in the order of their calls. Rejects with the first that failed. */
  steps(): Promise<readonly Step[]>;
  /** What still waited. Called once all steps are there. */
  rest(): Iterable<Part>;
}

/**
 * Parts before the first held call go out at once. From there on each waits until it is known what becomes of the calls before it:
 * one of them may turn into a call that the client gets, and clients execute calls in the order in which they come.
 */
export function orderedOutput<Request, Part>(writer: Writer<Request, Part>): OrderedOutput<Part> {
  const waiting: (Part | HeldCall)[] = [];
  const held: Promise<Step>[] = [];

  function* drain(): Generator<Part, void, undefined> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (!(next instanceof HeldCall)) yield* writer.forward(next);
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
      waiting.push(part);
      return drain();
    },
    hold(call, step) {
      const entry = new HeldCall(call);
      waiting.push(entry);
      held.push(step);
      // A rejection is kept until the steps are asked for: an upstream that fails first must not leave it unhandled.
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

class HeldCall {
  readonly call: Call;
  /** Once it is known. */
  step: Step | undefined;
  /** Whether `hold` was called for it. */
  isShown = false;

  constructor(call: Call) {
    this.call = call;
  }
}
