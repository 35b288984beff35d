import type { JsonObject, Snapshot, Tool } from '../catalog/index.ts';
import type { Form, FormName, Found, Memory, Plan, PlanEngine, SecondSearch, View } from '../disclosure/index.ts';
import type { GateRule, ModelLimits } from '../gate/index.ts';

/** A tool call as the model wrote it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, or the raw text if it is not JSON. */
  readonly arguments: unknown;
}

/** A call to a real tool: unwrapped, in scope, repaired and checked. */
export interface Resolved {
  /** The id of its original call; further ones of the same `tool_call` get `_2`, `_3` and so on. */
  readonly id: string;
  readonly tool: Tool;
  /** The name that the model sees. */
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The outcome of a call. */
export type Step =
  | {
      readonly kind: 'answer';
      readonly call: Call;
      /** Absent for a refusal, which leaves nothing to remember. */
      readonly found?: Found;
      readonly text: string;
      /** What an executed tool returned, unchanged, for wires that carry more than text. */
      readonly value?: unknown;
      readonly isError?: boolean;
    }
  | {
      readonly kind: 'calls';
      readonly call: Call;
      /** At least one. All can be executed: if one of several can't, the step is an answer and none runs. */
      readonly calls: readonly Resolved[];
    };

/** Who makes a call. */
export interface Caller {
  /** For events: an identity, never a secret. */
  readonly id?: string;
  /** The caller's request, for events: so that everything that happens in it can be collected. */
  readonly requestId?: string;
  /**
   * What this caller may see and use. A tool outside is answered exactly like one that does not exist. Plans are cached
   * by this function's identity, so keep it.
   */
  readonly allow?: (tool: Tool) => boolean;
  /**
   * Called before each search. If it throws a `QuartermasterError`, the search is refused, and the model reads its code and message:
   * `too_many_requests` for a caller that searches too often. @default every search runs
   */
  readonly admitSearch?: (queries: readonly string[]) => void | PromiseLike<void>;
}

/** The result of a tool. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string;
  /** What the tool returned, unchanged, for surfaces that carry more than text (images, structured content). */
  readonly value?: unknown;
  readonly isError: boolean;
}

/**
 * The stages behind one interface: what to send, what to answer, what a call does. It has no conversation state:
 * memory comes in and goes out as a value.
 */
export interface Toolbox {
  /** The current catalog. */
  snapshot(): Snapshot;
  /** What to send, decided for the current catalog. The same inputs return the same value. */
  plan(limits?: ModelLimits, options?: PlanOptions): Plan;
  /** The same with a yield wherever it may be interrupted: for 100,000 tools the first plan takes some 100 ms. */
  planInSteps(limits?: ModelLimits, options?: PlanOptions): Generator<void, Plan>;
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
export interface CallContext extends ExecuteOptions {
  readonly plan: Plan;
  readonly call: Call;
  /** The memory before the round in which the call was made: parallel calls share it. */
  readonly memory: Memory;
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
export interface Prefetching extends ExecuteOptions {
  readonly plan: Plan;
  /** The latest user message. */
  readonly text: string;
}

/** Depends only on the message and the catalog, so that every round of a turn renders it the same. */
export interface Prefetched {
  readonly names: readonly string[];
}
