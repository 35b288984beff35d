import type { Snapshot, Tool } from '../catalog/index.ts';
import { checkOptionNames, readChoice } from '../check-option-names.ts';
import {
  ANSWER_DEFAULTS,
  type AnswerBudget,
  type Form,
  type FormName,
  GUARD_DEFAULTS,
  type GuardLimits,
  type PlanEngine,
  type Unavailable,
} from '../disclosure/index.ts';
import type { GateSettings, TokenCounter } from '../gate/index.ts';
import { checkGateSettings } from '../gate/internal.ts';
import type { Searcher } from '../search/index.ts';
import type { Awaitable, HookContext, Hooks } from './call/execute-call.ts';
import type { ArgumentChecker } from './call/handle-calls.ts';
import type { ToolboxEvent } from './events.ts';
import type { UseMemory } from './search/handle-search.ts';
import type { Caller, Resolved } from './toolbox.ts';

/** The parts of a toolbox. Only `tools` is required. */
export interface ToolboxOptions {
  /** The catalog: a snapshot, a function that returns the current one, or a list of tools or of definitions in any known format. */
  readonly tools: Snapshot | (() => Snapshot) | readonly object[];
  /**
   * Runs a real tool. Its return value goes to the model: a string unchanged, an MCP result as its text, anything else as JSON.
   * An exception reaches the model as an error. Without it the toolbox only searches and resolves.
   */
  readonly execute?: (call: Resolved, context: HookContext) => Awaitable<unknown>;
  /**
   * The searcher for text, or a function that creates it for a snapshot, called once for each when it is first needed. For search by
   * meaning, pass `createEmbeddedSearcher` from `@quartermaster/semantic`.
   * @default BM25
   */
  readonly searcher?: SearcherSource;
  /** Favours what the same caller has called after similar searches. Only for searches by the hybrid engine. @default nothing is learned */
  readonly uses?: UseMemory | undefined;
  /** The searcher for regular expressions. @default our engine for Python's `re` */
  readonly regexSearcher?: SearcherSource;
  /** Which of the two the model uses, if a plan does not say. @default text */
  readonly engine?: PlanEngine;
  /** When to defer. @default automatic, from 10% of the context window */
  readonly settings?: GateSettings;
  /** How schemas reach the model. @default bridge */
  readonly form?: Form | FormName;
  /** @default characters / 4 */
  readonly countTokens?: TokenCounter;
  /**
   * Checks arguments before a tool runs, and may repair them; problems are reported to the model. For JSON Schema pass
   * `createArgumentChecker()` from `@quartermaster/host/schema`, which repairs with `repair: true`. @default only that
   * arguments are an object
   */
  readonly checkArguments?: ArgumentChecker;
  readonly hooks?: Hooks;
  /** Must not throw. */
  readonly onEvent?: (event: ToolboxEvent) => void;
  /** Milliseconds, for the times in events. @default Date.now */
  readonly now?: () => number;
  /** Whether search events contain the query's text, and why each tool was found. @default false */
  readonly recordQueries?: boolean;
  /** The maximum length of a query in code points; a longer one is an error that the model sees. @default 4096 */
  readonly maxQueryLength?: number | undefined;
  readonly guard?: GuardLimits;
  readonly budget?: AnswerBudget;
  /**
   * The budget of a listing of the deferred tools in the note; 0 leaves it out. With a listing, any change of the tools changes the
   * prefix, and every conversation's prompt cache is missed once.
   * @default 0
   */
  readonly listingTokens?: number;
  /** The longest description that a stub shows whole, in characters; `Infinity` for no limit. @default 280 */
  readonly stubDescriptionLength?: number;
  /** Servers that can't be reached now, and why: named in answers to searches. Only servers that the caller may use. */
  readonly unavailable?: (caller: Caller) => readonly Unavailable[];
  /** What is suspicious about a tool's definition, one word each; shown with the tool in search results. @default nothing */
  readonly findings?: (tool: Tool) => readonly string[];
  /** Whether search may return a tool. One that only the client knows keeps its stub. @default every tool */
  readonly isSearchable?: (tool: Tool) => boolean;
}

/** A searcher, or a function that creates one for a snapshot. */
export type SearcherSource = Searcher | ((snapshot: Snapshot) => Searcher);

/** The names of all options but those of the tools and of running them. */
export const SEARCH_SETTINGS =
  'searcher uses regexSearcher engine recordQueries maxQueryLength unavailable findings isSearchable';
export const PLAN_SETTINGS =
  'settings form countTokens checkArguments onEvent now guard budget listingTokens stubDescriptionLength';

/** Throws a `SettingError` for an invalid value. */
export function checkToolboxOptions(
  options: Pick<ToolboxOptions, 'engine' | 'settings' | 'guard' | 'budget' | 'hooks'>,
): void {
  const { engine, settings, guard = {}, budget = {} } = options;
  const hooks: Hooks = options.hooks ?? {};
  if (engine !== undefined) readChoice('engine', engine, ['text', 'regex']);
  if (settings !== undefined) checkGateSettings(settings);
  checkOptionNames('guard', guard, GUARD_DEFAULTS);
  if (guard.mode !== undefined) readChoice('guard.mode', guard.mode, ['stop', 'stop-repeats', 'hint', 'off']);
  checkOptionNames('budget', budget, ANSWER_DEFAULTS);
  checkOptionNames('hooks', hooks, 'beforeCall approve afterCall');
}
