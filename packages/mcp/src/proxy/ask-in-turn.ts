import type { Clock } from '@quartermaster/core/internal';

export interface TurnOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the first is known to be the right one: then others are asked only if it fails. @default false */
  readonly isFirstSure?: boolean;
}

/** After this long without an answer the next one is asked too. */
const PATIENCE_MS = 2_000;

/**
 * Asks one after the other until one answers, then ends the other requests. A silent one is passed over, and may still
 * answer. If all fail, the reason is the first one's, which is the most likely to know. Undefined if there is no one to ask.
 */
export async function askInTurn<Value>(
  asks: readonly ((signal: AbortSignal) => Promise<Value>)[],
  { clock, signal, isFirstSure = false }: TurnOptions,
): Promise<Value | undefined> {
  const over = new AbortController();
  const asking = AbortSignal.any([signal, over.signal]);
  const asked: Promise<Value>[] = [];
  try {
    for (const ask of asks) {
      const latest = ask(asking);
      asked.push(latest);
      const isSure = isFirstSure && asked.length === 1;
      const answer = await (isSure ? answerOf(asked) : takeTurn(asked, latest, clock));
      if (answer !== undefined) return answer.value;
      signal.throwIfAborted();
    }
    const answer = await answerOf(asked);
    return answer === undefined ? await asked[0] : answer.value;
  } finally {
    over.abort();
  }
}

interface Answer<Value> {
  readonly value: Value;
}

/** Undefined if the latest has failed, or its time is up. */
async function takeTurn<Value>(
  asked: readonly Promise<Value>[],
  latest: Promise<Value>,
  clock: Clock,
): Promise<Answer<Value> | undefined> {
  let cancel: () => void = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(PATIENCE_MS, () => resolve(undefined));
  });
  const answer = answerOf(asked);
  const failed = latest.then(
    () => answer,
    () => undefined,
  );
  const outcome = await Promise.race([answer, failed, late]);
  cancel();
  return outcome;
}

/** The first one to answer. Undefined if all have failed. */
async function answerOf<Value>(asked: readonly Promise<Value>[]): Promise<Answer<Value> | undefined> {
  try {
    return { value: await Promise.any(asked) };
  } catch {
    return undefined;
  }
}
