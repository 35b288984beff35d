import type { Searcher, Snapshot, Tool } from '@quartermaster/core';
import { BoundedMap } from '@quartermaster/core/internal';
import type { SearchRequest } from '@quartermaster/core/search';
import { createPostgresSearcher, type PostgresSearcherOptions, type SearcherMaker } from '@quartermaster/host/search';
import type { CatalogHead, CatalogStore, ToolIndex } from '@quartermaster/host/store';
import { catalogsKey } from './named-catalogs.ts';
import { readStoredTools } from './read-stored-tools.ts';

/** Stored catalogs that are indexed in PostgreSQL, so that no replica builds an index of them. */
export interface IndexedCatalogs {
  /** Updates the index of a catalog: only tools that changed are written. */
  index(head: IndexedHead): Promise<void>;
  remove(name: string): Promise<void>;
  /** Searches a stored catalog without reading it. */
  searcherOf(head: IndexedHead): Searcher;
  /** A catalog that a program has written to the index itself, as `registry/NAME`; undefined if there is none. */
  findRegistry(name: string): Promise<{ readonly searcher: Searcher; readonly toolCount: number } | undefined>;
  /** Uses the index if the tools are exactly one stored catalog, and `source` otherwise. */
  sourceOver(source: SearcherMaker): SearcherMaker;
  /** Records the name under which this content is stored. */
  note(head: IndexedHead): void;
}

export type IndexedHead = Pick<CatalogHead, 'name' | 'hash'>;

export function createIndexedCatalogs(options: {
  /** Opened on first use, and again after a failure. */
  open(): Promise<ToolIndex>;
  readonly catalogs: CatalogStore;
  readonly now: () => number;
  readonly tuning: PostgresSearcherOptions;
}): IndexedCatalogs {
  const { catalogs, now, tuning } = options;
  let opening: Promise<ToolIndex> | undefined;
  const searchers = new BoundedMap<string, Searcher>(MOST_KEPT);
  /** Content that is known to be indexed, and since when. */
  const checked = new BoundedMap<string, { readonly hash: string; readonly at: number }>(MOST_KEPT);
  const pending = new Map<string, Promise<void>>();
  const names = new BoundedMap<string, IndexedHead>(MOST_KEPT);

  function open(): Promise<ToolIndex> {
    opening ??= options.open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  /** Callers that need the same content wait for the same work. */
  function index({ name, hash }: IndexedHead): Promise<void> {
    const key = `${name} ${hash}`;
    const work = pending.get(key) ?? bringUpToDate({ name, hash }).finally(() => pending.delete(key));
    pending.set(key, work);
    return work;
  }

  async function bringUpToDate({ name, hash }: IndexedHead): Promise<void> {
    const tools = await open();
    if ((await tools.figures(name))?.hash !== hash) {
      const catalog = await catalogs.get(name);
      // The writer that has replaced it in the meantime indexes the new one.
      if (catalog === undefined || catalog.hash !== hash) return;
      await tools.sync(name, await readStoredTools(catalog.tools), { hash });
    }
    checked.set(name, { hash, at: now() });
  }

  async function searcherFor(head: IndexedHead): Promise<Searcher> {
    const known = checked.get(head.name);
    if (known === undefined || known.hash !== head.hash || now() - known.at > CHECK_MS) await index(head);
    return openSearcher(await open(), head.name);
  }

  function openSearcher(tools: ToolIndex, name: string): Searcher {
    const searcher = searchers.get(name) ?? createPostgresSearcher(tools, name, tuning);
    searchers.set(name, searcher);
    return searcher;
  }

  function searcherOf(head: IndexedHead): Searcher {
    return {
      engine: 'hybrid',
      search: async (request) => (await searcherFor(head)).search(request),
      explain: async (request, tool) => (await searcherFor(head)).explain(request, tool),
    };
  }

  return {
    index,
    searcherOf,
    async remove(name) {
      searchers.delete(name);
      checked.delete(name);
      await (await open()).remove(name);
    },
    async findRegistry(name) {
      const tools = await open();
      const known = `${REGISTRY}${name}`;
      const figures = await tools.figures(known);
      return figures === undefined ? undefined : { searcher: openSearcher(tools, known), toolCount: figures.toolCount };
    },
    note: (head) => void names.set(catalogsKey([head]) ?? '', head),
    sourceOver: (source) => (snapshot) => {
      const head = names.get(snapshot.contentKey ?? '');
      return head === undefined ? source(snapshot) : withinSnapshot(searcherOf(head), snapshot);
    },
  };
}

/** Names of stored catalogs contain no slash, so neither kind can be mistaken for the other. */
const REGISTRY = 'registry/';

/** How long content that was found in the index counts as indexed. */
const CHECK_MS = 5_000;
const MOST_KEPT = 1_000;

/** The hits as tools of the snapshot, with their policies there. */
function withinSnapshot(searcher: Searcher, snapshot: Snapshot): Searcher {
  const own = (tool: Tool): Tool => snapshot.get(tool.id) ?? tool;
  const within = ({ allow, ...request }: SearchRequest): SearchRequest =>
    allow === undefined
      ? request
      : { ...request, allow: (tool) => snapshot.get(tool.id) !== undefined && allow(own(tool)) };
  return {
    engine: searcher.engine,
    async search(request) {
      const result = await searcher.search(within(request));
      // A tool that was uploaded in the meantime is not among this request's tools.
      const hits = result.hits.filter(({ tool }) => snapshot.get(tool.id) !== undefined);
      return {
        ...result,
        hits: hits.map((hit) => ({
          ...hit,
          tool: own(hit.tool),
          ...(hit.also === undefined ? {} : { also: hit.also.map(own) }),
        })),
      };
    },
    explain: (request, tool) => searcher.explain(within(request), tool),
  };
}
