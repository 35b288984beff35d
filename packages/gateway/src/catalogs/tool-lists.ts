import { createHash } from 'node:crypto';
import { createToolbox, type Snapshot, type Tool, type Toolbox, type ToolboxEvent } from '@quartermaster/core';
import {
  applyPolicies,
  isJsonObject,
  type JsonObject,
  NAME_TEMPLATES,
  type ToolFormat,
  writeTool,
} from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { SearcherSource } from '@quartermaster/core/dispatch';
import type { GateSettings, SearchLimitSettings } from '@quartermaster/core/gate';
import { createSnapshotInSteps, defined, memoized, once, readAhead, runInSlices } from '@quartermaster/core/internal';
import { createArgumentChecker } from '@quartermaster/host/schema';
import type { UseLearning } from '@quartermaster/host/search';
import type { DialectName, DialectOf, RequestOf } from '@quartermaster/host/upstream';
import { requestedLimit } from '@quartermaster/wires/dialect';
import type { GatewaySettings } from '../gateway-options.ts';
import { ApiError } from '../http/index.ts';
import { ByteCache, type MemoryBudget } from './memory-budget.ts';
import {
  type CatalogRights,
  catalogsKey,
  catalogTools,
  type LoadedCatalog,
  type NamedCatalogs,
  splitCatalogs,
} from './named-catalogs.ts';

export interface ToolLists {
  /**
   * The tools of a request. Known ones were checked when they were first seen; others are passed to `check`, without their named
   * catalogs, before they are read.
   */
  listFor<Name extends DialectName>(question: ToolListQuestion<Name>): Promise<ListedTools>;
  /** How much the lists take now. */
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
  /** Identifies the text of the definitions: the same text returns the same list. Without it nothing is kept. */
  readonly key: string | undefined;
  /** The length of that text. */
  readonly bytes: number;
  /** Servers of which some tools are missing in the definitions: a list that was cut off may have the same text as a complete one. */
  readonly unavailable?: readonly Unavailable[];
  readonly rights: CatalogRights;
  check(parts: { readonly declared: readonly unknown[]; readonly hasCatalogs: boolean }): void;
}

interface ToolListsOptions {
  readonly settings: GatewaySettings;
  readonly memory: MemoryBudget;
  readonly catalogs: NamedCatalogs;
  readonly searcher?: SearcherSource;
  readonly onEvent?: (event: ToolboxEvent) => void;
  /** What keys have learned from use. @default nothing */
  readonly learning?: UseLearning | undefined;
}

/** Lists of tools by content, as long as the memory has room for them. */
export function createToolLists(options: ToolListsOptions): ToolLists {
  const { catalogs, onEvent, learning, settings } = options;
  const lists = new ByteCache<ToolList>(options.memory);
  /** The catalogs that a known text names, so that thousands of definitions need not be searched again. */
  const splitOnce = memoized(splitCatalogs);

  return {
    get bytes() {
      return lists.bytes;
    },
    async listFor({ dialect, request, definitions, key, bytes, unavailable = [], rights, check }) {
      const split = splitOnce(definitions);
      const loaded = split.entries.length === 0 ? [] : await catalogs.load(split.entries, rights);
      const pins =
        learning === undefined || !settings.autoPins || settings.deferral !== 'auto'
          ? []
          : await learning.hotTools(rights.owner);
      const parts = [
        // What is learned belongs to a catalog, even if another has the same tools.
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
        makeListInSteps({ dialect, request, ...split, loaded, unavailable, pins }, { ...options, onEvent: count }),
      );
      if (loaded.some(({ tools }) => tools.length > MANY_TOOLS)) await readAhead(list.toolbox.snapshot());
      const textBytes = bytes + loaded.reduce((sum, catalog) => sum + catalog.bytes, 0);
      // The index comes later: room is reserved for it until its size is known.
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

/** A catalog with more tools is read ahead in slices. */
const MANY_TOOLS = 500;

/** Called when an index has been built. */
const BUILDS: ReadonlySet<ToolboxEvent['kind']> = new Set(['search-prepare-end', 'tool-search-end']);

/** The size of a list besides the parsed definitions, which are counted where they are kept. */
function bytesOf({ toolbox }: ToolList): number {
  return LIST_BYTES + toolbox.snapshot().tools.length * TOOL_BYTES + toolbox.byteLength();
}

/** The toolbox and everything around it. */
const LIST_BYTES = 16 * 1024;
/** A tool, and its entries in the maps of its snapshot. */
const TOOL_BYTES = 1024;

/** The expected size of an index, measured on lists of 1 to 1,000 tools. */
const INDEX_BYTES = 24 * 1024;
const INDEX_BYTES_PER_BYTE = 1.2;

/** The tools of all requests with the same ones: read, indexed and planned for once. Contains nothing of any conversation. */
export interface ToolList {
  /** The request's own definitions, without named catalogs. */
  readonly declared: readonly JsonObject[];
  /** The same with named catalogs expanded, for a host that gets all of them. */
  definitions(): readonly JsonObject[];
  readonly toolbox: Toolbox;
  /** The definitions that identify a request's search. */
  readonly searchTools: readonly JsonObject[];
  /** Whether named catalogs are among the tools, which their client can't search itself. */
  readonly hasCatalogs: boolean;
  /** Which tool a model's name means. */
  identify(modelName: string): IdentifiedTool;
  /** The client takes part in tool search: it marked tools, or brought its own search. */
  readonly isMarked: boolean;
}

interface IdentifiedTool {
  /** The tool's id, as in searches and events; the name itself if the list has no such tool. */
  readonly id: string;
  /** Whether it belongs to a named catalog, and is not one of the request's own. */
  readonly isFromCatalog: boolean;
}

interface ListParts<Name extends DialectName> {
  readonly dialect: DialectOf<Name>;
  readonly request: RequestOf<Name>;
  /** The request's definitions without named catalogs. */
  readonly others: readonly unknown[];
  readonly loaded: readonly LoadedCatalog[];
  readonly unavailable: readonly Unavailable[];
  /** Tools that this key uses most. */
  readonly pins: readonly string[];
}

/** As in the Messages API, whose search returns at most five tools. */
const MESSAGES_LIMIT = 5;

/** Yields wherever it may be interrupted: named catalogs can have many thousand tools. */
function* makeListInSteps<Name extends DialectName>(
  { dialect: { api }, request, others, loaded, unavailable, pins }: ListParts<Name>,
  { settings, searcher, onEvent, learning }: ToolListsOptions,
): Generator<void, ToolList> {
  const { tools: own, searchTools, search } = api.readTools(others, request);
  checkCounts(own.length, loaded, settings);
  const hasCatalogs = loaded.length > 0;
  const all = yield* collectTools(own, loaded);
  const isMarked = search !== undefined || all.some((tool) => tool.policy === 'always' || OWN_SEARCH.test(tool.name));
  const isAutomatic = settings.deferral !== 'as-requested' && !isMarked;
  const tools: Tool[] = [];
  for (let start = 0; start < all.length; start += STEP_TOOLS) {
    const some = all.slice(start, start + STEP_TOOLS);
    // A request that defers some tools has decided about all of them.
    tools.push(...(isAutomatic ? applyPolicies(some, settings.policies) : some.map(decided)));
    yield;
  }
  const snapshot = yield* createSnapshotInSteps(tools, {
    nameTemplate: NAME_TEMPLATES.proxy,
    maxNameLength: api.maxNameLength,
    // Counted first, while it is known which of the limits applies.
    maxTools: Number.POSITIVE_INFINITY,
    // The client's own tool comes before a catalog's tool of the same name.
    onDuplicate: hasCatalogs ? 'first' : 'error',
    digest,
    ...(own.length === 0 ? defined({ contentKey: catalogsKey(loaded) }) : {}),
  });
  /** Each one tells which servers, behind a named catalog or named by the request, lack tools now, and why. */
  const missing = [
    ...loaded.flatMap((catalog) => catalog.unavailable ?? []),
    ...(unavailable.length === 0 ? [] : [() => unavailable]),
  ];
  const { gate, listingTokens, maxQueryLength } = settings;
  const pinned = pins.length === 0 ? gate : { ...gate, pins: [...gate.pins, ...pins] };
  const toolbox = createToolbox({
    tools: snapshot,
    settings: isAutomatic ? pinned : asRequested(api.format, gate.search, requestedLimit(others)),
    ...{ maxQueryLength, listingTokens, recordQueries: settings.insight.keep === 'queries' },
    ...(missing.length === 0 ? {} : { unavailable: () => missing.flatMap((tell) => tell()) }),
    ...defined({ searcher, onEvent, uses: learning?.memoryFor(catalogsOf(loaded)) }),
    checkArguments,
    now: preciseNow,
  });
  const declared = others.filter(isJsonObject);
  const ownIds = new Set(hasCatalogs ? own.map(({ id }) => id) : []);
  return {
    declared,
    toolbox,
    searchTools,
    hasCatalogs,
    identify(modelName) {
      const id = toolbox.snapshot().resolve(modelName)?.id;
      return { id: id ?? modelName, isFromCatalog: hasCatalogs && id !== undefined && !ownIds.has(id) };
    },
    isMarked,
    definitions: once(() =>
      hasCatalogs ? [...declared, ...writeOut(api.format, toolbox.snapshot(), own.length)] : declared,
    ),
  };
}

/** Of calls through `tool_call`, and of tools that the model has not seen: no host checks them. */
const checkArguments = createArgumentChecker({ repair: true });

const TIME_ORIGIN = performance.timeOrigin;

/** A search takes less than a millisecond, so whole milliseconds would say nothing. */
function preciseNow(): number {
  return TIME_ORIGIN + performance.now();
}

/** The declared ones first, then those of named catalogs. */
function* collectTools(own: readonly Tool[], loaded: readonly LoadedCatalog[]): Generator<void, readonly Tool[]> {
  if (loaded.length === 0) return own;
  const all = [...own];
  for (const catalog of loaded) {
    for (let start = 0; start < catalog.tools.length; start += STEP_TOOLS) {
      all.push(...catalogTools({ ...catalog, tools: catalog.tools.slice(start, start + STEP_TOOLS) }));
      yield;
    }
  }
  return all;
}

const STEP_TOOLS = 512;

/** Marked tools are deferred, and no others; the settings only decide how many a search returns, and the client within them. */
function asRequested(
  format: ToolFormat,
  search: SearchLimitSettings,
  requested = Number.POSITIVE_INFINITY,
): GateSettings {
  const most = format === 'anthropic' ? MESSAGES_LIMIT : Number.POSITIVE_INFINITY;
  const maxLimit = Math.min(search.maxLimit, most, requested);
  const defaultLimit = Math.min(Number.isFinite(requested) ? requested : search.defaultLimit, maxLimit);
  return { rule: { kind: 'on' }, search: { defaultLimit, maxLimit }, pins: [] };
}

function writeOut(format: ToolFormat, snapshot: Snapshot, from: number): readonly JsonObject[] {
  return snapshot.tools
    .slice(from)
    .map((tool) => writeTool(tool, format, { name: snapshot.modelName(tool), deferred: tool.policy === 'always' }));
}

function decided(tool: Tool): Tool {
  return tool.policy === 'automatic' ? { ...tool, policy: 'never' } : tool;
}

/** A client's own search tool, by the names in use. Adding another one would break what its client expects. */
const OWN_SEARCH = /^(?:tool_?search|search_?tools|DeferredToolPlaceholder)/i;

/** Faster than the digest that a snapshot has on every platform. */
export function digest(chunks: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk, 'utf8');
  return hash.digest('hex');
}
