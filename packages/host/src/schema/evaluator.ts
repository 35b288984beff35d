import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { checkArray } from './check-array.ts';
import { checkCombinations } from './check-combinations.ts';
import { checkNumber } from './check-number.ts';
import { checkObject } from './check-object.ts';
import { checkReferences } from './check-references.ts';
import { checkString } from './check-string.ts';
import { checkTypeAndEnum } from './check-type-and-enum.ts';
import { checkUnevaluated } from './check-unevaluated.ts';
import type { PatternCache } from './pattern-cache.ts';
import type { Place } from './place.ts';
import { renderJson } from './render-value.ts';
import type { Target } from './resolve-reference.ts';
import type { Resource, SchemaIndex } from './schema-index.ts';
import { type Truth, Verdict } from './verdict.ts';

/** The limits of one check. */
export interface EvaluationLimits {
  /**
   * Schemas applied, children visited, allowed values compared.
   * @default 200_000
   */
  readonly maxSteps: number;
  /**
   * Steps of the regex engine, for all patterns together.
   * @default 2_000_000
   */
  readonly maxPatternSteps: number;
  /**
   * Depth of nested schemas, including references.
   * @default 200
   */
  readonly maxDepth: number;
}

export const EVALUATION_DEFAULTS: EvaluationLimits = { maxSteps: 200_000, maxPatternSteps: 2_000_000, maxDepth: 200 };

/** One schema applied to one value. */
export interface Subject {
  readonly schema: JsonObject;
  readonly value: Json;
  /** Shared by identity between all subjects of the same value. */
  readonly place: Place;
  readonly resource: Resource;
  readonly depth: number;
  /** The parent subject; the chain is the dynamic scope. */
  readonly caller?: Subject;
}

/** A part of a schema that was not checked, so that the value was accepted there. */
export interface Unchecked {
  readonly reason:
    | 'out-of-steps'
    | 'out-of-pattern-steps'
    | 'too-deep'
    | 'pattern-not-supported'
    | 'reference-not-found'
    | 'endless-reference'
    | 'not-a-schema';
  /** The pattern, the reference or the value in place of a schema, shortened; empty if the reason is enough. */
  readonly detail: string;
}

/** One group of keywords: adds its findings to the verdict. A keyword with an invalid value is ignored. */
type Keyword = (subject: Subject, verdict: Verdict, evaluator: Evaluator) => void;

/** References come last, except `unevaluated…`, which depends on what all the others have evaluated. */
const KEYWORDS: readonly Keyword[] = [
  checkTypeAndEnum,
  checkNumber,
  checkString,
  checkArray,
  checkObject,
  checkCombinations,
  checkReferences,
  checkUnevaluated,
];

/** Compiling a matcher takes as long as applying this many schemas. */
const COMPILE_STEPS = 200;
const MOST_NOTES = 8;
const MOST_DETAIL = 100;

export interface EvaluatorOptions {
  readonly index: SchemaIndex;
  readonly patterns: PatternCache;
  readonly limits: EvaluationLimits;
}

/** Interprets one schema. Its budget covers its whole life, so that the re-checks of a repair share it. */
export class Evaluator {
  readonly index: SchemaIndex;
  readonly #patterns: PatternCache;
  readonly #maxDepth: number;
  readonly #notes = new Map<string, Unchecked>();
  #stepsLeft: number;
  readonly #patternMeter: { left: number };

  constructor(options: EvaluatorOptions) {
    this.index = options.index;
    this.#patterns = options.patterns;
    this.#maxDepth = options.limits.maxDepth;
    this.#stepsLeft = options.limits.maxSteps;
    this.#patternMeter = { left: options.limits.maxPatternSteps };
  }

  get unchecked(): readonly Unchecked[] {
    return [...this.#notes.values()];
  }

  /** Whether the budget ran out: from then on, nothing is decided any more. */
  get isSpent(): boolean {
    return this.#stepsLeft < 0 || this.#patternMeter.left <= 0;
  }

  check(schema: JsonObject, value: Json): Verdict {
    return this.#subject({ schema, value, place: undefined, resource: this.index.root, depth: 0 });
  }

  /** Another schema on the same value. */
  apply(schema: Json, from: Subject): Verdict {
    return this.#enter({ schema, resource: from.resource }, from, from);
  }

  /** A schema on a child of the value. */
  applyTo(schema: Json, from: Subject, child: { readonly key: string | number; readonly value: Json }): Verdict {
    const place = { parent: from.place, key: child.key };
    return this.#enter({ schema, resource: from.resource }, from, { place, value: child.value });
  }

  follow(target: Target, from: Subject): Verdict {
    return this.#enter(target, from, from);
  }

  /** False when the budget is spent: the caller leaves the rest undecided. */
  spend(steps: number): boolean {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft >= 0) return true;
    this.note('out-of-steps');
    return false;
  }

  /** The same for what a verdict depends on, which is undecided then. */
  affords(steps: number, verdict: Verdict): boolean {
    const isAffordable = this.spend(steps);
    if (!isAffordable) verdict.doubt();
    return isAffordable;
  }

  /** Whether a text matches a pattern, `valid` for yes. */
  matches(pattern: string, text: string): Truth {
    if (!this.spend(this.#patterns.has(pattern) ? 1 : COMPILE_STEPS + pattern.length)) return 'unknown';
    const matcher = this.#patterns.matcher(pattern);
    if (matcher === undefined) {
      this.note('pattern-not-supported', pattern);
      return 'unknown';
    }
    if (this.#patternMeter.left > 0) {
      matcher.begin(text);
      const answer = matcher.advance(this.#patternMeter);
      if (answer === 'match' || answer === 'no-match') return answer === 'match' ? 'valid' : 'invalid';
    }
    this.note('out-of-pattern-steps', pattern);
    return 'unknown';
  }

  note(reason: Unchecked['reason'], detail = ''): void {
    const short = detail.length > MOST_DETAIL ? `${detail.slice(0, MOST_DETAIL)}…` : detail;
    if (this.#notes.size < MOST_NOTES) this.#notes.set(`${reason} ${short}`, { reason, detail: short });
  }

  #enter(target: Target, caller: Subject, { value, place }: Pick<Subject, 'value' | 'place'>): Verdict {
    const { schema } = target;
    if (isJsonObject(schema)) {
      const resource = this.index.byRoot.get(schema) ?? target.resource;
      return this.#subject({ schema, value, place, resource, depth: caller.depth + 1, caller });
    }
    const verdict = new Verdict();
    if (typeof schema !== 'boolean') this.note('not-a-schema', renderJson(schema));
    if (!this.spend(1) || typeof schema !== 'boolean') verdict.doubt();
    else if (!schema) verdict.fail({ kind: 'forbidden', place });
    return verdict;
  }

  #subject(subject: Subject): Verdict {
    const verdict = new Verdict();
    const { schema } = subject;
    if (subject.value === null && schema.nullable === true) return verdict;
    if (subject.depth > this.#maxDepth) {
      this.note('too-deep');
      verdict.doubt();
    } else if (this.affords(1, verdict)) {
      const isReference = subject.resource.isLegacy && typeof schema.$ref === 'string';
      for (const keyword of isReference ? [checkReferences] : KEYWORDS) keyword(subject, verdict, this);
    }
    return verdict;
  }
}
