import { type Expression, walkExpression } from '../expression.ts';
import { type CharacterSet, union } from '../unicode/character-set.ts';

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
    case 'branch': {
      const facts = expression.alternatives.map(firstFacts);
      return { set: joinSets(facts), canBeEmpty: facts.some((each) => each.canBeEmpty) };
    }
    case 'conditional': {
      const facts = [
        firstFacts(expression.yes),
        expression.no === undefined ? TAKES_NOTHING : firstFacts(expression.no),
      ];
      return { set: joinSets(facts), canBeEmpty: facts.some((each) => each.canBeEmpty) };
    }
    case 'look':
    case 'position':
    case 'backreference':
      return TAKES_NOTHING;
  }
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
