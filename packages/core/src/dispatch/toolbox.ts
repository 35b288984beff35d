import type { Snapshot } from '../catalog/index.ts';
import type { Form, FormName, Found, Memory, Plan, PlanEngine, SecondSearch, View } from '../disclosure/index.ts';
import type { GateRule, ModelLimits } from '../gate/index.ts';
import type { Call, Caller, Resolved, Step, ToolOutcome } from './call.ts';

/**
 * The stages behind one interface: what to send, what to answer, what a call does. It has no conversation state:
 * memory comes in and goes out as a value.
 */
export interface Toolbox {
  /** The current catalog. */
  snapshot(): Snapshot;
  /** What to send, decided for the current catalog. The same inputs return the same value. */
  plan(limits?: ModelLimits, options?: PlanOptions): Plan;
  view(plan: Plan, memory: Memory, extra?: ViewExtra): View;
  /** An answer's text. Pure, so that a replay renders the same bytes. */
  tell(tellOptions: TellOptions): string;
  /** The outcome of a call by the model. Executes nothing and never throws for what a model wrote; an aborted signal throws its reason. */
  handle(callContext: CallContext): Promise<Step>;
  /** Runs a resolved call with its hooks. A tool that throws is an outcome with `isError`. */
  execute(resolved: Resolved, options?: ExecuteOptions): Promise<ToolOutcome>;
  /** Whether a call by this name, with this memory, must go to `handle` first. */
  holds(plan: Plan, memory: Memory, extra?: Pick<ViewExtra, 'caller'>): (name: string) => boolean;
  /** `handle` and `execute` in one, for your own loop: the text for the model, and the memory after. */
  answer(callContext: CallContext): Promise<Answered>;
  /** Searches for what the user just said, to be offered at the tail of that message. */
  prefetch(prefetching: Prefetching): Promise<Prefetched | undefined>;
  /**
   * Starts building what the first search by this plan would wait for, once per catalog, and returns at once; does nothing
   * if the plan has no search. The work begins after the current turn of the event loop. A failure is reported by an
   * event, and the search tries again.
   */
  prepare(plan: Plan): void;
  /** About how many bytes are held for the current catalog besides its tools: built indexes, and plans. */
  byteLength(): number;
}

/** Options of `toolbox.plan`. */
export interface PlanOptions {
  /** How schemas reach the model. @default the toolbox's form, which is `bridge` unless set */
  readonly form?: Form | FormName;
  /** What the model's searches take, if the client chose. @default the toolbox's engine, which is `text` unless set */
  readonly engine?: PlanEngine;
  /** Whose view it is: a tool that the caller may not use is in no list. */
  readonly caller?: Caller;
  /**
   * Whether `tool_describe` is offered in the bridge form. Without it search answers contain full parameters, for wires
   * whose messages have no place for a describe call.
   * @default true
   */
  readonly describe?: boolean;
  /** The search tool's name, if the client chose one. @default tool_search */
  readonly searchName?: string;
  /** A second search tool with another engine, if the client chose both. @default none */
  readonly secondSearch?: SecondSearch;
  /**
   * Whether a caller without any tool gets a search, unless search is off: for a catalog that is empty because its servers
   * can't be reached, which the search's answer then says.
   * @default false
   */
  readonly searchWhenEmpty?: boolean;
  /**
   * Another rule than the settings', unless search is off there: for a catalog that is incomplete, and may be much larger
   * in a moment.
   */
  readonly rule?: GateRule;
  /** Tools to pin in addition to those in the settings: for example those that this caller uses most. @default none */
  readonly pins?: readonly string[];
}

/** What a view can add to a plan and a memory. */
export interface ViewExtra {
  readonly prefetched?: Prefetched | undefined;
  readonly caller?: Caller;
}

/** What an answer's text is made from. */
export interface TellOptions {
  readonly plan: Plan;
  readonly found: Found;
  readonly before: Memory;
  /** Limits the sources that a miss names. */
  readonly caller?: Caller;
}

/** A call of the model, and what is known at the time. */
export interface CallContext {
  readonly plan: Plan;
  readonly call: Call;
  /** The memory before the round in which the call was made: parallel calls share it. */
  readonly memory: Memory;
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
}

/** Options of `toolbox.execute`. */
export interface ExecuteOptions {
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
}

/** The answer to one call of the model. */
export interface Answered {
  readonly text: string;
  readonly isError: boolean;
  readonly memory: Memory;
  /** What was executed, in order; empty for a search, a description or a refusal. */
  readonly outcomes: readonly ToolOutcome[];
}

/** What a prefetch searches for. */
export interface Prefetching {
  readonly plan: Plan;
  /** The latest user message. */
  readonly text: string;
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
}

/** Depends only on the message and the catalog, so that every round of a turn renders it the same. */
export interface Prefetched {
  readonly names: readonly string[];
}
