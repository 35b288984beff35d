import type { GatewayEvent, RequestRecord } from '../events/index.ts';

/** Which tools of catalogs searches have found so far, to tell how many they never did. */
export interface NeverFound {
  watch(catalog: string, toolCount: () => number): void;
  /** A request has a catalog's tools deferred. */
  plan(event: Extract<GatewayEvent, { kind: 'plan-decide' }>): void;
  note(record: RequestRecord): void;
  read(): Iterable<readonly [{ readonly catalog: string }, number]>;
}

/** Names of catalogs are the gateway's own, so they are few; tools of one can be many. */
const MOST_CATALOGS = 200;
const MOST_FOUND = 20_000;

export function neverFound(): NeverFound {
  const catalogs = new Map<string, { toolCount: () => number; readonly found: Set<string> }>();
  const watch = (catalog: string, toolCount: () => number): void => {
    const known = catalogs.get(catalog);
    if (known !== undefined) known.toolCount = toolCount;
    else if (catalogs.size < MOST_CATALOGS) catalogs.set(catalog, { toolCount, found: new Set() });
  };
  return {
    watch,
    plan({ catalogs: names, deferred }) {
      if (names !== undefined && deferred !== undefined) watch(names.join(', '), () => deferred);
    },
    note({ route, catalogs: names, searches }) {
      if (searches.length === 0) return;
      const known = catalogs.get(route === 'mcp' ? MCP_CATALOG : (names?.join(', ') ?? ''));
      if (known === undefined) return;
      for (const { found } of searches)
        for (const tool of found) if (known.found.size < MOST_FOUND) known.found.add(tool);
    },
    *read() {
      for (const [catalog, { toolCount, found }] of catalogs) {
        yield [{ catalog }, Math.max(0, toolCount() - found.size)];
      }
    },
  };
}

/** What the tools behind `/mcp` go by. */
export const MCP_CATALOG = '/mcp';
