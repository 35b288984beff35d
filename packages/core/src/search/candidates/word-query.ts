/** A word of a query with what is known of it in the catalog. */
export interface WeighedWord {
  /** What a tool has that has the word anywhere. */
  readonly anywhere: string;
  /** What a tool has that has it in its name. */
  readonly inName: string;
  /** How many tools have it anywhere, and in their names. */
  readonly count: number;
  readonly nameCount: number;
  /** What it counts: its weight in the query times its idf. */
  readonly value: number;
}

/** Marks of which a tool has to have all. */
export type Conjunction = readonly string[];

/**
 * Which tools can be the best for these words: those that have all marks of one of the conjunctions. As few as possible of them are
 * to be looked at: each word can be in a name, elsewhere, or nowhere; of all these combinations the best are taken, as long as not
 * more than `budget` tools are likely to have one of them, and of those the least that a tool must have.
 *
 * A long request has rare words that say nothing about the tool (what a mail is to say). Its words are taken a few at a time, those
 * that count most first, and each group brings in tools of its own.
 */
export function chooseConjunctions(
  words: readonly WeighedWord[],
  { toolCount, budget }: { readonly toolCount: number; readonly budget: number },
): Conjunction[] {
  const known = words.filter(({ count }) => count > 0).sort((left, right) => right.value - left.value);
  const conjunctions: Conjunction[] = [];
  for (let start = 0; start < Math.min(known.length, MOST_GROUPS * MOST_WORDS); start += MOST_WORDS) {
    const group = known.slice(start, start + MOST_WORDS);
    const limits = start === 0 ? { budget, isNeeded: true } : { budget: budget * LATER_SHARE, isNeeded: false };
    conjunctions.push(...chooseAmong(group, { toolCount, ...limits }));
  }
  return conjunctions;
}

interface GroupLimits {
  readonly toolCount: number;
  readonly budget: number;
  /** Whether some tools have to be found, even if they are more than the budget. */
  readonly isNeeded: boolean;
}

function chooseAmong(
  chosen: readonly WeighedWord[],
  { toolCount, budget, isNeeded }: GroupLimits,
): readonly Conjunction[] {
  const combinations = combine(chosen, toolCount);
  combinations.sort((left, right) => right.value - left.value);
  let expected = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const { value, count } of combinations) {
    const enough = isNeeded ? (count > HUGE ? 1 : ENOUGH) : 0;
    if (value === 0 || (expected + count > budget && expected >= enough)) break;
    expected += count;
    least = value;
  }
  return combinations
    .filter(({ states, value }) => value >= least && isLeast(states, chosen, least))
    .map(({ states }) => states.flatMap((state, at) => markOf(state, chosen[at] as WeighedWord)));
}

/** 0: the word is nowhere; 1: anywhere; 2: in the name. */
type State = 0 | 1 | 2;

interface Combination {
  readonly states: readonly State[];
  readonly value: number;
  /** How many tools are likely to be so, if words were independent. */
  readonly count: number;
}

function combine(words: readonly WeighedWord[], toolCount: number): Combination[] {
  let combinations: Combination[] = [{ states: [], value: 0, count: toolCount }];
  for (const word of words) {
    const inName = Math.min(1, word.nameCount / toolCount);
    const elsewhere = Math.min(1, Math.max(0, word.count - word.nameCount) / toolCount);
    const shares = [Math.max(0, 1 - inName - elsewhere), elsewhere, inName] as const;
    combinations = combinations.flatMap(({ states, value, count }) =>
      STATES.map((state) => ({
        states: [...states, state],
        value: value + worthOf(word, state),
        count: count * shares[state],
      })),
    );
  }
  return combinations;
}

/** Whether less would not do. */
function isLeast(states: readonly State[], words: readonly WeighedWord[], least: number): boolean {
  return states.every((state, at) => {
    if (state === 0) return true;
    const lower = states.map((other, place) => (place === at ? ((state - 1) as State) : other));
    // Added up in the same order as all values, so that equals are equal.
    return lower.reduce<number>((sum, one, place) => sum + worthOf(words[place] as WeighedWord, one), 0) < least;
  });
}

function worthOf({ value }: WeighedWord, state: State): number {
  return value * (SHARES[state] as number);
}

function markOf(state: State, { anywhere, inName }: WeighedWord): string[] {
  if (state === 0) return [];
  return [state === 1 ? anywhere : inName];
}

/** With less than this many tools likely, the next combination is taken even where it is beyond the budget… */
const ENOUGH = 8;
/** …unless so many have it that any of them would be as good as another. */
const HUGE = 16_000;
const STATES: readonly State[] = [0, 1, 2];
/** What a word counts that is nowhere, anywhere, in the name: about what BM25 gives it there. */
const SHARES = [0, 0.5, 0.8] as const;
/** Of one group: more words would make too many combinations. */
const MOST_WORDS = 5;
/** Words beyond these groups only count in the order of what is found. */
const MOST_GROUPS = 4;
/** How much of the budget each group but the first has. */
const LATER_SHARE = 0.5;
