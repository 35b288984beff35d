import type { Read } from './wire.ts';

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
