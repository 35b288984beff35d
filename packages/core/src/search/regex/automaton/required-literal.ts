import { type Expression, walkExpression } from '../expression.ts';
import { type CharacterSet, onlyCharacter, union } from '../unicode/character-set.ts';

/** A string that a text must contain, checked before an engine reads the text. */
interface RequiredLiteral {
  /** A string that is in every match; empty if none is known. */
  readonly text: string;
  /** Whether the pattern is nothing but the string: a text that contains it matches. */
  readonly isWhole: boolean;
}

/** The longest string that every match of the expression contains. */
export function requiredLiteral(expression: Expression): RequiredLiteral {
  const facts = literalFacts(expression, exactCharacter);
  if (facts.exact !== undefined) return { text: facts.exact, isWhole: true };
  return { text: facts.best, isWhole: false };
}

/** What a text in lower case must contain, unless it has one of the exceptions. */
interface FoldedLiteral {
  readonly text: string;
  /** Characters that Python takes for a letter of the string, though their lower case is another: `ſ` for `s`. */
  readonly exceptions: readonly string[];
}

/**
 * The same for patterns that ignore case, by the lower case of ASCII letters: the runtime lowers and searches a text
 * faster than an automaton reads it.
 */
export function foldedLiteral(expression: Expression): FoldedLiteral {
  const exceptions = new Set<string>();
  const { best } = literalFacts(expression, (set) => {
    const members = fewMembers(set);
    const letter = members.map((member) => member.toLowerCase()).find((lower) => /^[\x20-\x7e]$/.test(lower));
    if (letter === undefined) return undefined;
    const others = members.filter((member) => member.toLowerCase() !== letter);
    if (others.some((other) => other <= '\x7f')) return undefined;
    for (const other of others) exceptions.add(other);
    return letter;
  });
  return { text: best, exceptions: [...exceptions] };
}

/** Whether a text may match, judging by the string alone. */
export function mayContain({ text, exceptions }: FoldedLiteral, subject: string): boolean {
  return subject.toLowerCase().includes(text) || exceptions.some((exception) => subject.includes(exception));
}

/** The members of a set of at most four. */
function fewMembers({ ranges }: CharacterSet): readonly string[] {
  const members: string[] = [];
  if (ranges.length > 8) return members;
  for (let index = 0; index < ranges.length; index += 2) {
    const low = ranges[index] ?? 0;
    const high = ranges[index + 1] ?? 0;
    if (high - low > 3 || members.length > 4) return [];
    for (let code = low; code <= high; code++) members.push(String.fromCodePoint(code));
  }
  return members;
}

function exactCharacter(set: CharacterSet): string | undefined {
  const code = onlyCharacter(set);
  return code === undefined || isSurrogate(code) ? undefined : String.fromCodePoint(code);
}

/** The one string that stands for a set of characters. */
type CharacterOf = (set: CharacterSet) => string | undefined;

interface LiteralFacts {
  /** The only string that the expression matches, with no condition on where. */
  readonly exact: string | undefined;
  /** What every match starts with, and what it ends with. */
  readonly prefix: string;
  readonly suffix: string;
  /** The longest string known to be in every match. */
  readonly best: string;
}

const NOTHING: LiteralFacts = { exact: undefined, prefix: '', suffix: '', best: '' };

function literalFacts(expression: Expression, characterOf: CharacterOf): LiteralFacts {
  switch (expression.kind) {
    case 'character': {
      const character = characterOf(expression.set);
      return character === undefined ? NOTHING : exactly(character);
    }
    case 'sequence':
      return expression.items.map((item) => literalFacts(item, characterOf)).reduce(follow, exactly(''));
    case 'group':
      return literalFacts(expression.body, characterOf);
    case 'atomic':
      return { ...literalFacts(expression.body, characterOf), exact: undefined };
    case 'repeat':
      return repeatFacts(expression, literalFacts(expression.body, characterOf));
    case 'look':
      return expression.negate ? NOTHING : { ...NOTHING, best: literalFacts(expression.body, characterOf).best };
    default:
      return NOTHING;
  }
}

function exactly(text: string): LiteralFacts {
  return { exact: text, prefix: text, suffix: text, best: text };
}

/** Repeated bodies are written out up to this length; a longer string would not reject texts any faster. */
const MAX_SPELLED = 64;

function repeatFacts({ min, max }: Extract<Expression, { kind: 'repeat' }>, facts: LiteralFacts): LiteralFacts {
  if (min === 0) return NOTHING;
  if (facts.exact === undefined || facts.exact === '') return { ...facts, exact: undefined };
  const copies = Math.min(min, Math.max(1, Math.floor(MAX_SPELLED / facts.exact.length)));
  const text = facts.exact.repeat(copies);
  return { ...exactly(text), exact: copies === max ? text : undefined };
}

function follow(left: LiteralFacts, right: LiteralFacts): LiteralFacts {
  const seam = left.suffix + right.prefix;
  return {
    exact: left.exact === undefined || right.exact === undefined ? undefined : left.exact + right.exact,
    prefix: left.exact === undefined ? left.prefix : left.exact + right.prefix,
    suffix: right.exact === undefined ? right.suffix : left.suffix + right.exact,
    best: [left.best, right.best, seam].reduce((best, text) => (text.length > best.length ? text : best)),
  };
}

/** A lone surrogate next to another one would be taken for a pair. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The characters with which a match can start; undefined where a match can be empty or that isn't known. */
export function firstCharacters(expression: Expression): CharacterSet | undefined {
  const { set, canBeEmpty } = firstFacts(expression);
  return canBeEmpty || canReferAhead(expression) ? undefined : set;
}

/** A group inside a look-around captures what the match hasn't taken, and a back-reference may then start with it. */
function canReferAhead(expression: Expression): boolean {
  const kinds = new Set([...walkExpression(expression)].map(({ kind }) => kind));
  return kinds.has('look') && kinds.has('backreference');
}

interface FirstFacts {
  readonly set: CharacterSet | undefined;
  /** Whether it can match without taking a character: then what follows decides too. */
  readonly canBeEmpty: boolean;
}

const TAKES_NOTHING: FirstFacts = { set: undefined, canBeEmpty: true };

function firstFacts(expression: Expression): FirstFacts {
  switch (expression.kind) {
    case 'character':
      return { set: expression.set, canBeEmpty: false };
    case 'sequence':
      return sequenceFacts(expression.items);
    case 'group':
    case 'atomic':
      return firstFacts(expression.body);
    case 'repeat': {
      const body = firstFacts(expression.body);
      return { set: body.set, canBeEmpty: body.canBeEmpty || expression.min === 0 };
    }
    case 'branch':
      return anyOf(expression.alternatives.map(firstFacts));
    case 'conditional':
      return anyOf([
        firstFacts(expression.yes),
        expression.no === undefined ? TAKES_NOTHING : firstFacts(expression.no),
      ]);
    case 'look':
    case 'position':
    case 'backreference':
      return TAKES_NOTHING;
  }
}

function anyOf(facts: readonly FirstFacts[]): FirstFacts {
  return { set: joinSets(facts), canBeEmpty: facts.some((each) => each.canBeEmpty) };
}

function sequenceFacts(items: readonly Expression[]): FirstFacts {
  const seen: FirstFacts[] = [];
  for (const item of items) {
    const facts = firstFacts(item);
    seen.push(facts);
    if (!facts.canBeEmpty) return { set: joinSets(seen), canBeEmpty: false };
  }
  return { set: joinSets(seen), canBeEmpty: true };
}

function joinSets(facts: readonly FirstFacts[]): CharacterSet | undefined {
  const sets = facts.flatMap(({ set }) => (set === undefined ? [] : [set]));
  return sets.length === 0 ? undefined : union(sets);
}
