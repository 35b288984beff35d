import type { PlanEngine } from '../disclosure/index.ts';
import type { PlanOptions } from '../dispatch/index.ts';
import type { OpenedSearch } from './wire.ts';

/** What a plan needs to search under the names and by the engines of the tools that the client declared. */
export function searchOptions(
  search: OpenedSearch | undefined,
): Pick<PlanOptions, 'engine' | 'searchName' | 'secondSearch'> {
  if (search?.kind !== 'hosted') return {};
  const { name: searchName, engine, also } = search;
  return {
    searchName,
    ...(engine === 'any' ? {} : { engine: engineOf(engine) }),
    ...(also === undefined ? {} : { secondSearch: { name: also.name, engine: engineOf(also.engine) } }),
  };
}

function engineOf(engine: 'regex' | 'bm25'): PlanEngine {
  return engine === 'regex' ? 'regex' : 'text';
}
