import type { Call, Step } from '../dispatch/index.ts';
import type { Writer } from './wire.ts';

/** What the client is sent of one round, in the order in which the model wrote it. */
export interface OrderedOutput<Part> {
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
