import { createBm25Searcher } from '@quartermaster/core';
import { buildBm25Index } from '@quartermaster/core/search';

export const quartermaster = {
  name: 'quartermaster',
  /** Ours starts from the tools themselves; taking the texts out of the schemas is part of what is measured. */
  build: ({ snapshot }) => createBm25Searcher(snapshot, { index: buildBm25Index(snapshot.tools) }),
  search: async (searcher, query) => (await searcher.search({ query, limit: 10 })).hits.map((hit) => hit.tool.id),
};
