import type { Json, JsonObject } from '@quartermaster/core/catalog';
import type { Place } from './place.ts';
import type { Target } from './resolve-reference.ts';
import type { Resource, SchemaIndex } from './schema-index.ts';
import type { Unchecked } from './unchecked.ts';
import type { Truth, Verdict } from './verdict.ts';

export type { Target } from './resolve-reference.ts';

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

/** What a keyword needs from the interpreter. */
export interface Evaluation {
  readonly index: SchemaIndex;
  /** Another schema on the same value. */
  apply(schema: Json, from: Subject): Verdict;
  /** A schema on a child of the value. */
  applyTo(schema: Json, from: Subject, child: { readonly key: string | number; readonly value: Json }): Verdict;
  follow(target: Target, from: Subject): Verdict;
  /** False when the budget is spent: the caller leaves the rest undecided. */
  spend(steps: number): boolean;
  /** Whether a text matches a pattern, `valid` for yes. */
  matches(pattern: string, text: string): Truth;
  note(reason: Unchecked['reason'], detail?: string): void;
}

/** One group of keywords: adds its findings to the verdict. A keyword with an invalid value is ignored. */
export type Keyword = (subject: Subject, verdict: Verdict, evaluation: Evaluation) => void;
