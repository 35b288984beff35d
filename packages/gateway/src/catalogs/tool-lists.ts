import type { ToolboxEvent } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import { defined, readAhead, runInSlices } from '@quartermaster/core/internal';
import type { UseLearning } from '@quartermaster/host/search';
import type { DialectName, DialectOf, RequestOf } from '@quartermaster/host/upstream';
import type { GatewaySettings } from '../gateway-options.ts';
import { ApiError } from '../http/index.ts';
import { ByteCache, type MemoryBudget } from './memory-budget.ts';
import { type CatalogRights, type LoadedCatalog, type NamedCatalogs, splitCatalogs } from './named-catalogs.ts';
import { makeToolListInSteps, type ToolList } from './tool-list.ts';

export interface ToolLists {
  /**
   * The tools of a request. What is known was checked when it was first seen; anything else is given to `check`, with its named
   * catalogs left out, before it is read.
   */
  listFor<Name extends DialectName>(question: ToolListQuestion<Name>): Promise<ListedTools>;
  /** What the lists take now. */
  readonly bytes: number;
}

interface ListedTools {
  readonly list: ToolList;
  readonly isKnown: boolean;
  /** The named catalogs among the tools. */
  readonly catalogs: readonly string[];
}

interface ToolListQuestion<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly request: RequestOf<Name>;
  readonly definitions: readonly unknown[];
  /** Stands for the text of the definitions: the same text gives the same list back. Without it nothing is kept. */
  readonly key: string | undefined;
  /** How long that text is. */
  readonly bytes: number;
  /** Servers of which some tools are not among the definitions: what was cut off may have the same text as what was not. */
  readonly unavailable?: readonly Unavailable[];
  readonly rights: CatalogRights;
  check(parts: { readonly declared: readonly unknown[]; readonly hasCatalogs: boolean }): void;
}

/** Lists of tools by their content, as long as the memory has room for them. */
export function createToolLists(options: {
  readonly settings: GatewaySettings;
  readonly memory: MemoryBudget;
  readonly catalogs: NamedCatalogs;
  readonly searcher?: SearcherSource;
  readonly onEvent?: (event: ToolboxEvent) => void;
  /** What keys have learned from use. @default nothing */
  readonly learning?: UseLearning | undefined;
}): ToolLists {
  const { catalogs, onEvent, learning, settings } = options;
  const lists = new ByteCache<ToolList>(options.memory);
  /** The catalogs that a known text names, so that thousands of definitions need not be looked through again. */
  const splits = new WeakMap<readonly unknown[], ReturnType<typeof splitCatalogs>>();

  return {
    get bytes() {
      return lists.bytes;
    },
    async listFor({ dialect, request, definitions, key, bytes, unavailable = [], rights, check }) {
      const split = splits.get(definitions) ?? splitCatalogs(definitions);
      splits.set(definitions, split);
      const loaded = split.entries.length === 0 ? [] : await catalogs.load(split.entries, rights);
      const pins =
        learning === undefined || !settings.autoPins || settings.deferral !== 'auto'
          ? []
          : await learning.hotTools(rights.owner ?? '');
      const parts = [
        // What is learned is a catalog's own, even where another has the same tools.
        ...(learning === undefined ? [] : [catalogsOf(loaded), ...pins]),
        ...loaded.map(({ hash, entry }) => `${hash}:${entry.isDeferred}`),
        ...(unavailable.length === 0 ? [] : [JSON.stringify(unavailable)]),
      ];
      const fullKey = key === undefined ? undefined : [dialect.name, key, ...parts].join(' ');
      const known = fullKey === undefined ? undefined : lists.get(fullKey);
      const names = loaded.map(({ entry }) => entry.name);
      if (known !== undefined) return { list: known, isKnown: true, catalogs: names };
      check({ declared: split.others, hasCatalogs: loaded.length > 0 });
      const count = (event: ToolboxEvent): void => {
        onEvent?.(event);
        if (fullKey !== undefined && BUILDS.has(event.kind)) lists.resize(fullKey, list, bytesOf(list));
      };
      const list = await runInSlices(
        makeListInSteps(dialect, { ...split, loaded, unavailable, request, pins }, { ...options, onEvent: count }),
      );
      if (loaded.some(({ tools }) => tools.length > MANY_TOOLS)) await readAhead(list.toolbox.snapshot());
      const textBytes = bytes + loaded.reduce((sum, catalog) => sum + catalog.bytes, 0);
      // The index comes later: its room is kept for it until its size is known.
      const size = bytesOf(list) + INDEX_BYTES + textBytes * INDEX_BYTES_PER_BYTE;
      if (fullKey !== undefined) lists.set(fullKey, list, { bytes: size, owner: rights.owner });
      return { list, isKnown: false, catalogs: names };
    },
  };
}

/** The named catalogs of a list, in a fixed order. */
function catalogsOf(loaded: readonly LoadedCatalog[]): string {
  return loaded
    .map(({ entry }) => entry.name)
    .sort()
    .join(',');
}

function checkCounts(declared: number, loaded: readonly LoadedCatalog[], settings: GatewaySettings): void {
  const { maxRequestTools, maxSearchedTools } = settings;
  if (declared > maxRequestTools) {
    throw new ApiError(
      400,
      `tools: a request may define ${maxRequestTools} tools, and this one defines ${declared}; upload them as a catalog, or raise limits.requestTools`,
    );
  }
  const all = loaded.reduce((sum, { tools }) => sum + tools.length, declared);
  if (all <= maxSearchedTools) return;
  throw new ApiError(
    400,
    `tools: with its catalogs a request may have ${maxSearchedTools} tools, and this one has ${all}; name fewer catalogs, or raise limits.searchedTools`,
  );
}

/** A catalog with more than these is read ahead in slices. */
const MANY_TOOLS = 500;

/** What is told when an index has been built. */
const BUILDS: ReadonlySet<ToolboxEvent['kind']> = new Set(['search-prepare-end', 'tool-search-end']);

/** What a list takes beside the parsed definitions, whose memory is counted where they are kept. */
function bytesOf({ toolbox }: ToolList): number {
  return LIST_BYTES + toolbox.snapshot().tools.length * TOOL_BYTES + toolbox.byteLength();
}

/** The toolbox and what is around it. */
const LIST_BYTES = 16 * 1024;
/** A tool, and its place in the maps of its snapshot. */
const TOOL_BYTES = 1024;

/** What an index is expected to take, measured on lists of 1 to 1,000 tools. */
const INDEX_BYTES = 24 * 1024;
const INDEX_BYTES_PER_BYTE = 1.2;

function makeListInSteps<Name extends DialectName>(
  dialect: DialectOf<Name>,
  parts: {
    readonly others: readonly unknown[];
    readonly loaded: readonly LoadedCatalog[];
    readonly unavailable: readonly Unavailable[];
    readonly request: RequestOf<Name>;
    /** Tools that this key uses most. */
    readonly pins: readonly string[];
  },
  options: Parameters<typeof createToolLists>[0],
): Generator<void, ToolList> {
  const { settings, searcher, onEvent, learning } = options;
  const { tools, searchTools, search } = dialect.api.readTools(parts.others, parts.request);
  checkCounts(tools.length, parts.loaded, settings);
  return makeToolListInSteps(
    {
      format: dialect.api.format,
      declared: parts.others.filter(isJsonObject),
      tools,
      added: parts.loaded,
      hasCatalogs: parts.loaded.length > 0,
      unavailable: [
        ...parts.loaded.flatMap((catalog) => catalog.unavailable ?? []),
        ...(parts.unavailable.length === 0 ? [] : [() => parts.unavailable]),
      ],
      searchTools,
      hasSearch: search !== undefined,
    },
    {
      deferral: settings.deferral,
      gate:
        parts.pins.length === 0 ? settings.gate : { ...settings.gate, pins: [...settings.gate.pins, ...parts.pins] },
      uses: learning?.memoryFor(catalogsOf(parts.loaded)),
      listingTokens: settings.listingTokens,
      policies: settings.policies,
      maxNameLength: dialect.api.maxNameLength,
      maxQueryLength: settings.maxQueryLength,
      ...defined({ searcher }),
      recordQueries: settings.insight.keep === 'queries',
      ...defined({ onEvent }),
    },
  );
}
