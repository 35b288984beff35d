/** A message of the model's, or of what is left of it, with its parts. */
export interface Spoken<Message, Part> {
  readonly message: Message;
  readonly parts: readonly Part[];
}

export interface RoundRules<Part> {
  /** Whether a part is an answer of ours, paired or not: answers are in no round. */
  readonly isAnswer: (part: Part) => boolean;
  /** Answers of ours that have their call. */
  readonly answers: ReadonlySet<Part>;
  /** Calls of real tools that the client has answered. */
  readonly answered: ReadonlySet<Part>;
  /** Whether a part stays: one that has lost its partner does not. */
  readonly isKept: (part: Part) => boolean;
}

/**
 * Takes a turn of the model's apart into what it wrote between two answers of ours. Answers end a round: what follows them was
 * written after they were read. Not so when the client has a call of the same round to answer: its result comes with the next
 * message, and so must the others.
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
