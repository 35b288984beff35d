import type { Caller, UseMemory } from '@quartermaster/core/dispatch';
import { suggestPins } from '@quartermaster/core/gate';
import { BoundedMap, checkOptionNames, defined } from '@quartermaster/core/internal';
import { type LearnedUse, LearnedUses, toUseVector, type UseBonus } from '@quartermaster/core/search';
import type { LearnedUseStore, UseScope } from '../store/index.ts';

/** What is learned from use, and its purposes: the order of search results, and the most used tools. Each owner's data is separate. */
export interface UseLearning {
  /** What a toolbox of this catalog reads and reports; the caller's id is the owner. */
  memoryFor(catalog: string): UseMemory;
  /** A tool was called, by its id or by the name that the model sees. It is learned once for the last search that found it. */
  called(owner: string, tool: string): void;
  /** The ids of an owner's most used tools, the same for a day (UTC), so that the prompt's prefix changes at most once a day. */
  hotTools(owner: string): Promise<readonly string[]>;
  /** Clears what this process remembers of an owner, or of all. What is stored stays in the store. */
  forget(owner?: string): void;
  /** Stores what was learned since the last time. */
  flush(): Promise<void>;
}

/** Options of `createUseLearning`. */
export interface UseLearningOptions {
  /** `counts` keeps which tools were called, `vectors` also the vectors of the requests before that. */
  readonly learn: 'counts' | 'vectors';
  /** The vector of a request, by the embedded model. */
  readonly embed: (query: string) => Float32Array;
  readonly store: LearnedUseStore;
  readonly clock: { now(): number; after(ms: number, run: () => void): () => void };
  /** Called when the store fails; searches continue without it. */
  readonly onError?: (error: unknown) => void;
}

/** A search that calls may still follow. */
interface Recent {
  readonly catalog: string;
  readonly atMs: number;
  readonly vector: Int8Array | undefined;
  /** Ids of the found tools that were not called yet, by id and by the model's name. */
  readonly tools: Map<string, string>;
}

interface ScopedUse {
  readonly scope: UseScope;
  readonly use: LearnedUse;
}

interface Scope {
  readonly uses: LearnedUses;
  readonly loadedMs: number;
}

const FLUSH_MS = 5_000;
/** A call this long after a search has nothing to do with it. */
const FOLLOWS_MS = 10 * 60_000;
const MOST_RECENT = 64;
const MOST_OWNERS = 1_000;
/** Each takes at most 1 MB. */
const MOST_SCOPES = 64;
/** How long what other replicas learn may go unnoticed. */
const RELOAD_MS = 5 * 60_000;
/** How many uses wait if they can't be written. */
const MOST_WAITING = 10_000;
const DAY_MS = 24 * 60 * 60_000;

/** Learns which tools each owner calls after which searches, and stores it. */
export function createUseLearning(options: UseLearningOptions): UseLearning {
  checkOptionNames('createUseLearning', options, 'learn embed store clock onError');
  const { learn, embed, store, clock, onError } = options;
  const recent = new BoundedMap<string, Recent[]>(MOST_OWNERS);
  const scopes = new BoundedMap<string, Promise<Scope>>(MOST_SCOPES);
  const hot = new BoundedMap<string, { readonly day: number; readonly tools: Promise<readonly string[]> }>(MOST_OWNERS);
  let waiting: ScopedUse[] = [];
  /** What a flush still has to write. */
  let writing: ScopedUse[] = [];
  let flushed = Promise.resolve();
  let cancel: (() => void) | undefined;

  async function load(scope: UseScope): Promise<Scope> {
    const uses = new LearnedUses();
    // What is learned while the store is read is added by `keep`.
    const before = new Set(waiting);
    uses.add(await store.list(scope));
    const unwritten = waiting.filter((one) => before.has(one) && keyOf(one.scope) === keyOf(scope));
    uses.add(unwritten.map(({ use }) => use));
    return { uses, loadedMs: clock.now() };
  }

  function loadAgain(scope: UseScope): Promise<Scope> {
    const loading = load(scope);
    scopes.set(keyOf(scope), loading);
    return loading;
  }

  /** Undefined if the store fails; the next search tries again. */
  async function scopeOf(scope: UseScope): Promise<Scope | undefined> {
    const key = keyOf(scope);
    try {
      const known = await (scopes.get(key) ?? loadAgain(scope));
      return clock.now() - known.loadedMs < RELOAD_MS ? known : await loadAgain(scope);
    } catch (error) {
      scopes.delete(key);
      onError?.(error);
      return undefined;
    }
  }

  async function recall(scope: UseScope, query: string): Promise<ReadonlyMap<string, UseBonus> | undefined> {
    const known = await scopeOf(scope);
    if (known === undefined || known.uses.size === 0) return undefined;
    return known.uses.bonuses(embed(query), clock.now());
  }

  function note({ owner, catalog }: UseScope, { query, tools }: Parameters<UseMemory['note']>[0]): void {
    if (tools.length === 0) return;
    const found = tools.flatMap(({ tool, name }) => [[tool.id, tool.id] as const, [name, tool.id] as const]);
    const searches = recent.get(owner) ?? [];
    if (searches.length >= MOST_RECENT) searches.shift();
    const vector = learn === 'vectors' ? toUseVector(embed(query)) : undefined;
    searches.push({ catalog, atMs: clock.now(), vector, tools: new Map(found) });
    recent.set(owner, searches);
  }

  function keep(scope: UseScope, use: LearnedUse): void {
    if (waiting.length < MOST_WAITING) waiting.push({ scope, use });
    void scopes.get(keyOf(scope))?.then(
      ({ uses }) => uses.add([use]),
      () => undefined,
    );
    cancel ??= clock.after(FLUSH_MS, () => void flush());
  }

  /** One after the other, so that a process's last flush ends when everything is written. */
  function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    flushed = flushed.then(write, write);
    return flushed;
  }

  async function write(): Promise<void> {
    writing = waiting;
    waiting = [];
    for (let next = writing[0]; next !== undefined; next = writing[0]) {
      const { scope } = next;
      const [mine, others] = splitByScope(writing, scope);
      writing = others;
      try {
        const uses = mine.map(({ use }) => use);
        await store.add(scope, uses);
      } catch (error) {
        onError?.(error);
        waiting.push(...mine.slice(0, MOST_WAITING - waiting.length));
      }
    }
  }

  /** Only uses before this day count, so that all replicas find the same. */
  async function findHot(owner: string, day: number): Promise<readonly string[]> {
    const startMs = day * DAY_MS;
    const calls = new Map<string, number>();
    const catalogs = new Set((await store.summarise({ owner })).map(({ catalog }) => catalog));
    for (const catalog of catalogs) {
      const uses = new LearnedUses();
      uses.add((await store.list({ owner, catalog })).filter(({ atMs }) => atMs < startMs));
      for (const [tool, count] of uses.calls(startMs)) calls.set(tool, (calls.get(tool) ?? 0) + count);
    }
    return suggestPins([...calls].map(([tool, count]) => ({ tool, calls: count })));
  }

  return {
    memoryFor(catalog) {
      const scope = ({ id = '' }: Caller): UseScope => ({ owner: id, catalog });
      return {
        recall: (query, caller) => recall(scope(caller), query),
        note: (found, caller) => note(scope(caller), found),
      };
    },
    called(owner, tool) {
      const now = clock.now();
      const searches = recent.get(owner) ?? [];
      const search = searches.findLast(({ atMs, tools }) => now - atMs <= FOLLOWS_MS && tools.has(tool));
      const id = search?.tools.get(tool);
      if (search === undefined || id === undefined) return;
      // A tool that is called in a loop is learned once, and an earlier search that also found it gets none of the calls.
      for (const { tools } of searches) for (const [name, other] of tools) if (other === id) tools.delete(name);
      const { vector } = search;
      keep({ owner, catalog: search.catalog }, { tool: id, atMs: now, ...defined({ vector }) });
    },
    async hotTools(owner) {
      const day = Math.floor(clock.now() / DAY_MS);
      const known = hot.get(owner);
      try {
        if (known?.day === day) return await known.tools;
        const tools = findHot(owner, day);
        hot.set(owner, { day, tools });
        return await tools;
      } catch (error) {
        hot.delete(owner);
        onError?.(error);
        return [];
      }
    },
    forget(owner) {
      if (owner === undefined) {
        for (const known of [recent, scopes, hot]) known.clear();
        waiting = [];
        writing = [];
        return;
      }
      recent.delete(owner);
      hot.delete(owner);
      for (const key of scopes.keys()) if (key.startsWith(`${owner}\n`)) scopes.delete(key);
      waiting = waiting.filter(({ scope }) => scope.owner !== owner);
      writing = writing.filter(({ scope }) => scope.owner !== owner);
    },
    flush,
  };
}

function keyOf({ owner, catalog }: UseScope): string {
  return `${owner}\n${catalog}`;
}

/** Those of a scope, and the others. */
function splitByScope(uses: readonly ScopedUse[], scope: UseScope): [ScopedUse[], ScopedUse[]] {
  const isOf = (one: ScopedUse): boolean => keyOf(one.scope) === keyOf(scope);
  return [uses.filter(isOf), uses.filter((one) => !isOf(one))];
}
