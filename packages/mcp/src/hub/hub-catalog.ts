import { createSnapshot, type Snapshot, type Tool } from '@quartermaster/core';
import { applyPolicies, type PolicyRules, SNAPSHOT_DEFAULTS } from '@quartermaster/core/catalog';
import { digest } from '../digest.ts';
import { LIST_DEFAULTS } from './definitions/index.ts';
import type { HubOptions } from './hub-options.ts';
import { findLookAlikes, type Suspicion } from './trust/index.ts';

/** What the catalog is made from, as it is now. */
export interface CatalogSource extends Pick<HubOptions, 'findings' | 'catalog' | 'limits'> {
  readonly servers: readonly { readonly name: string; readonly catalog: { readonly tools: readonly Tool[] } }[];
  readonly policies: PolicyRules | undefined;
}

/** One catalog of all servers' tools. */
export interface HubCatalog {
  readonly snapshot: () => Snapshot;
  /** How many tools of each server are past the limit. */
  leftOut(): ReadonlyMap<string, number>;
  /** Tools whose names look like another server's, by id. */
  lookAlikes(): ReadonlyMap<string, Suspicion>;
  /** To be called when anything about a server has changed. */
  expire(): void;
}

interface Made {
  readonly snapshot: Snapshot;
  readonly leftOut: ReadonlyMap<string, number>;
  readonly lookAlikes: ReadonlyMap<string, Suspicion>;
  /** What it was made from. */
  readonly tools: readonly Tool[];
  readonly policies: PolicyRules | undefined;
}

/** Indexes, plans and names belong to a snapshot, so the same tools under the same policies keep theirs while connections come and go. */
export function createHubCatalog(source: () => CatalogSource): HubCatalog {
  let isStale = true;
  let made: Made | undefined;
  const current = (): Made => {
    if (made === undefined || isStale) made = collect(source(), made);
    isStale = false;
    return made;
  };
  return {
    snapshot: () => current().snapshot,
    leftOut: () => current().leftOut,
    lookAlikes: () => current().lookAlikes,
    expire() {
      isStale = true;
    },
  };
}

/** Tools past the limit are counted by server and reported. */
function collect({ servers, policies, findings, catalog, limits }: CatalogSource, before: Made | undefined): Made {
  const lists = servers.map(({ name, catalog: { tools } }) => ({ name, tools }));
  const tools = lists.flatMap((list) => list.tools);
  const isSame = before !== undefined && isSameList(before.tools, tools);
  if (isSame && before.policies === policies) return before;
  const lookAlikes = isSame ? before.lookAlikes : findLookAlikes(findings === 'off' ? [] : tools);
  const perServer = limits?.toolsPerServer ?? LIST_DEFAULTS.toolsPerServer;
  const maxTools = catalog?.maxTools ?? Math.max(perServer, SNAPSHOT_DEFAULTS.maxTools);
  const leftOut = new Map<string, number>();
  const shown: Tool[] = [];
  for (const list of lists) {
    const offered = list.tools.filter(({ id }) => findings !== 'withhold' || !lookAlikes.has(id));
    const taken = offered.slice(0, Math.max(0, maxTools - shown.length));
    for (const tool of taken) shown.push(tool);
    if (taken.length < offered.length) leftOut.set(list.name, offered.length - taken.length);
  }
  const ruled = policies === undefined ? shown : applyPolicies(shown, policies);
  // Two servers have equal ids only if slashes in their names make them so; the first one is kept.
  const snapshot = createSnapshot(ruled, { ...catalog, maxTools, onDuplicate: 'first', digest });
  return { snapshot, leftOut, lookAlikes, tools, policies };
}

function isSameList(left: readonly Tool[], right: readonly Tool[]): boolean {
  return left.length === right.length && left.every((tool, at) => tool === right[at]);
}
