import type { Snapshot } from '../../catalog/index.ts';
import type { Plan, PlanEngine } from '../../disclosure/index.ts';
import { SettingError } from '../../errors.ts';
import { createBm25Searcher, createRegexSearcher, macrotaskPause, type Searcher } from '../../search/index.ts';
import { eventOrigin } from '../events.ts';
import type { ToolboxContext } from '../toolbox-context.ts';
import type { SearcherSource, ToolboxOptions } from '../toolbox-options.ts';

/** The searchers of a toolbox by the engine of a plan. */
export type SearchersFor = { readonly [Engine in PlanEngine]: Searchers };

/** What searches a snapshot, made when it is first needed: a plan alone costs no index. */
export interface Searchers {
  of(snapshot: Snapshot): Searcher;
  /** Whether a search of the snapshot has nothing left to build, or its build was begun. Makes no searcher. */
  isPrepared(snapshot: Snapshot): boolean;
  /** Has the searcher build what it needs; once for a snapshot, since what fails is built by the next search. Throws as it does. */
  prepare(snapshot: Snapshot): Promise<void>;
  /** What the searcher of the snapshot keeps, as far as it tells; 0 where none was made for it alone. */
  byteLength(snapshot: Snapshot): number;
  /** Preparations take turns, so that many catalogs that come together leave the thread to others. */
  readonly enqueue: Enqueue;
}

export function searchersFor(options: Pick<ToolboxOptions, 'searcher' | 'regexSearcher'>): SearchersFor {
  return {
    text: searchersOf(options.searcher ?? createBm25Searcher, 'text'),
    regex: searchersOf(options.regexSearcher ?? createRegexSearcher, 'regex'),
  };
}

/** One index per snapshot, however many toolboxes use it: it holds no executor and no secret. */
const known: { readonly [Engine in PlanEngine]: WeakMap<SearcherSource, Searchers> } = {
  text: new WeakMap(),
  regex: new WeakMap(),
};

/** What this makes has nothing to prepare, and so it isn't even made for it. */
const READY_SOURCE: SearcherSource = createRegexSearcher;

function searchersOf(source: SearcherSource, engine: PlanEngine): Searchers {
  if (typeof source !== 'function') checked(source, engine);
  const searchers = known[engine].get(source) ?? createSearchers(source, engine);
  known[engine].set(source, searchers);
  return searchers;
}

function createSearchers(source: SearcherSource, engine: PlanEngine): Searchers {
  const bySnapshot = new WeakMap<Snapshot, Searcher>();
  const prepared = new WeakSet<Searcher>();

  const of = (snapshot: Snapshot): Searcher => {
    if (typeof source !== 'function') return source;
    const searcher = bySnapshot.get(snapshot) ?? checked(source(snapshot), engine);
    bySnapshot.set(snapshot, searcher);
    return searcher;
  };
  return {
    of,
    isPrepared(snapshot) {
      const searcher = typeof source === 'function' ? bySnapshot.get(snapshot) : source;
      if (searcher === undefined) return source === READY_SOURCE;
      return searcher.prepare === undefined || prepared.has(searcher);
    },
    async prepare(snapshot) {
      const searcher = of(snapshot);
      prepared.add(searcher);
      await searcher.prepare?.();
    },
    byteLength: (snapshot) => bySnapshot.get(snapshot)?.byteLength?.() ?? 0,
    enqueue: preparationQueue(),
  };
}

/** A model that is told to write words must not have them read as a pattern, nor the other way round. */
function checked(searcher: Searcher, engine: PlanEngine): Searcher {
  const takes: PlanEngine = searcher.engine === 'regex' ? 'regex' : 'text';
  if (takes === engine) return searcher;
  const [setting, advice] = engine === 'text' ? ['searcher', PATTERNS] : ['regexSearcher', WORDS];
  throw new SettingError('invalid_setting', `The ${setting} is of the engine "${searcher.engine}", which ${advice}`, {
    context: { setting, engine: searcher.engine },
  });
}

const PATTERNS = 'takes patterns: pass it as regexSearcher';
const WORDS = 'takes words: pass it as searcher';

/** Where the plan offers a search: has its searcher build what the first one would wait for. */
export function prepareSearch(context: ToolboxContext, plan: Plan): void {
  if (plan.kind === 'inline') return;
  for (const { role, engine } of plan.own) {
    if (role !== 'search') continue;
    const searchers = context.searchers[engine ?? plan.engine];
    if (!searchers.isPrepared(context.snapshot())) searchers.enqueue(context, () => build(context, searchers));
  }
}

/** For the catalog as it is when its turn comes: of changes that come together, only the last is built for. */
async function build(context: ToolboxContext, searchers: Searchers): Promise<void> {
  const snapshot = context.snapshot();
  if (searchers.isPrepared(snapshot)) return;
  const startedMs = context.now();
  let isError = false;
  try {
    await searchers.prepare(snapshot);
  } catch {
    // The next search tries again, and tells the model where it fails as well.
    isError = true;
  }
  const durationMs = context.now() - startedMs;
  const toolCount = snapshot.tools.length;
  context.emit({ ...eventOrigin(context), kind: 'search-prepare-end', isError, toolCount, durationMs });
}

/** Adds work. Ignored if the same owner already has work waiting. Failures are not reported. */
type Enqueue = (owner: object, work: () => Promise<void>) => void;

/** How much may wait. Beyond it the oldest is dropped: a search builds for itself what is not built yet. */
export const MOST_WAITING = 16;

/** Does one thing after the other, none of it before the next turn of the event loop. */
export function preparationQueue(): Enqueue {
  const waiting: { readonly owner: object; readonly work: () => Promise<void> }[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const { pause, close } = macrotaskPause();
    for (;;) {
      await pause();
      const next = waiting.shift();
      if (next === undefined) break;
      await next.work().catch(() => undefined);
    }
    close();
    isRunning = false;
  }

  return (owner, work) => {
    if (waiting.some((one) => one.owner === owner)) return;
    waiting.push({ owner, work });
    if (waiting.length > MOST_WAITING) waiting.shift();
    if (!isRunning) void run();
  };
}
