import type { Searcher } from '@quartermaster/core';
import type { SearcherMaker } from '@quartermaster/host/search';
import type { Holding, MemoryBudget } from './memory-budget.ts';

/**
 * The same searchers, with their indexes counted in the memory budget: for catalogs that always exist, such as those of the configured
 * MCP servers. An index without room is dropped, and rebuilt or loaded by the next search.
 */
export function countSearchers(source: SearcherMaker, memory: MemoryBudget): SearcherMaker {
  /** The catalog changes as a whole: only the latest index is counted. */
  let endBefore: () => void = () => undefined;
  return (snapshot) => {
    endBefore();
    const { searcher, end } = counted(() => source(snapshot), memory);
    endBefore = end;
    return searcher;
  };
}

function counted(make: () => Searcher, memory: MemoryBudget): { readonly searcher: Searcher; end(): void } {
  let made: Searcher | undefined = make();
  let holding: Holding | undefined;
  let isOver = false;
  const { engine } = made;
  const current = (): Searcher => {
    made ??= make();
    return made;
  };
  const letGo = (): void => {
    made = undefined;
    holding = undefined;
  };
  const count = (): void => {
    const bytes = made?.byteLength?.() ?? 0;
    if (isOver || bytes === 0) return;
    if (holding === undefined) {
      const held = memory.hold(OWNER, bytes, letGo);
      if (held === undefined) letGo();
      // It may have been dropped at once, to make room.
      else if (made !== undefined) holding = held;
      return;
    }
    holding.touch();
    holding.resize(bytes);
  };
  const counting = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } finally {
      count();
    }
  };
  return {
    searcher: {
      engine,
      search: (request) => counting(current().search(request)),
      explain: (request, tool) => counting(current().explain(request, tool)),
      prepare: () => counting(current().prepare?.() ?? Promise.resolve()),
      byteLength: () => made?.byteLength?.() ?? 0,
    },
    end() {
      isOver = true;
      holding?.end();
    },
  };
}

/** They belong to everyone. No key has this id. */
const OWNER = 'mcp-servers';
