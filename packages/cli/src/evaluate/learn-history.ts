import type { Searcher, Snapshot } from '@quartermaster/core';
import { LearnedUses, ORDERED_BY_USE, orderByUse, toUseVector } from '@quartermaster/core/search';
import { embeddedModel } from '@quartermaster/semantic';
import type { PastCall } from '../input/index.ts';

/** Calls an hour apart belong to different tasks. */
const APART_MS = 60 * 60 * 1000;

/** What past calls teach, as if none were older than the others. */
export interface History {
  /** A searcher of the hybrid engine in its state after these calls. */
  after(searcher: Searcher): Searcher;
  /** Whether one of these tools, by name or id, was called. */
  hasCalled(tools: readonly string[]): boolean;
  /** Calls of tools that are not in the catalog. */
  readonly unknown: number;
}

/** Learns from past calls, as a gateway with `usage.learn: vectors` would have, within the same limits. */
export function learnHistory(calls: readonly PastCall[], snapshot: Snapshot): History {
  const byName = new Map(snapshot.tools.map((tool) => [tool.name, tool.id]));
  const idOf = (tool: string): string | undefined => (snapshot.get(tool) === undefined ? byName.get(tool) : tool);
  const model = embeddedModel();
  const learned = calls.flatMap(({ query, called }, at) => {
    const vector = toUseVector(model.query(query));
    return called.flatMap((name) => {
      const tool = idOf(name);
      return tool === undefined ? [] : [{ tool, atMs: at * APART_MS, vector }];
    });
  });
  const uses = new LearnedUses({ halfLifeMs: Number.POSITIVE_INFINITY });
  uses.add(learned);
  const called = new Set(learned.map(({ tool }) => tool));
  return {
    unknown: calls.reduce((sum, call) => sum + call.called.length, 0) - learned.length,
    hasCalled: (tools) => tools.some((tool) => called.has(idOf(tool) ?? '')),
    after: (searcher) => ({
      ...searcher,
      async search(request) {
        const { query, limit = ORDERED_BY_USE } = request;
        if (typeof query !== 'string') return searcher.search(request);
        const result = await searcher.search({ ...request, limit: Math.max(limit, ORDERED_BY_USE) });
        const bonuses = uses.bonuses(model.query(query), 0);
        return { ...result, hits: orderByUse(result.hits, bonuses, { limit, query, find: (id) => snapshot.get(id) }) };
      },
    }),
  };
}
