import { isJsonObject, type SearcherSource, type ToolboxEvent, type Unavailable } from '@quartermaster/core';
import type { Dialect, DialectShapes } from '@quartermaster/host/upstream';
import type { Surface } from '../exchange/index.ts';
import type { GatewaySettings } from '../gateway-options.ts';
import { ByteCache } from './byte-cache.ts';
import {
  type CatalogRights,
  catalogTools,
  type LoadedCatalog,
  type NamedCatalogs,
  splitCatalogs,
} from './named-catalogs.ts';
import { makeToolList, type ToolList } from './tool-list.ts';

export interface ToolLists {
  /**
   * The tools of a request. What is known was checked when it was first seen; anything else is given to `check`, with its named
   * catalogs left out, before it is read.
   */
  listFor<Name extends Dialect>(question: ToolListQuestion<Name>): Promise<{ list: ToolList; isKnown: boolean }>;
  /** What the cache holds now. */
  readonly bytes: number;
}

interface ToolListQuestion<Name extends Dialect> {
  readonly surface: Surface<Name>;
  readonly request: DialectShapes[Name]['request'];
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

/** Lists of tools by their content, within a number of bytes. */
export function createToolLists(options: {
  readonly settings: GatewaySettings;
  readonly catalogs: NamedCatalogs;
  readonly searcher?: SearcherSource;
  readonly onEvent?: (event: ToolboxEvent) => void;
}): ToolLists {
  const { settings, catalogs } = options;
  const lists = new ByteCache<ToolList>(settings.cacheBytes * LISTS_SHARE);
  /** The catalogs that a known text names, so that thousands of definitions need not be looked through again. */
  const splits = new WeakMap<readonly unknown[], ReturnType<typeof splitCatalogs>>();

  return {
    get bytes() {
      return lists.bytes;
    },
    async listFor({ surface, request, definitions, key, bytes, unavailable = [], rights, check }) {
      const split = splits.get(definitions) ?? splitCatalogs(definitions);
      splits.set(definitions, split);
      const loaded = split.entries.length === 0 ? [] : await catalogs.load(split.entries, rights);
      const parts = [
        ...loaded.map(({ hash, entry }) => `${hash}:${entry.isDeferred}`),
        ...(unavailable.length === 0 ? [] : [JSON.stringify(unavailable)]),
      ];
      const fullKey = key === undefined ? undefined : [surface.dialect, key, ...parts].join(' ');
      const known = fullKey === undefined ? undefined : lists.get(fullKey);
      if (known !== undefined) return { list: known, isKnown: true };
      check({ declared: split.others, hasCatalogs: loaded.length > 0 });
      const list = makeList(surface, { ...split, loaded, unavailable, request }, options);
      const size = (bytes + loaded.reduce((sum, catalog) => sum + catalog.bytes, 0)) * BYTES_PER_BYTE;
      if (fullKey !== undefined) lists.set(fullKey, list, size);
      return { list, isKnown: false };
    },
  };
}

/** The rest of the memory is for the definitions themselves. */
const LISTS_SHARE = 3 / 8;

/** What a list takes beside the parsed definitions: tools, search texts, an index, plans. */
const BYTES_PER_BYTE = 3;

function makeList<Name extends Dialect>(
  surface: Surface<Name>,
  parts: {
    readonly others: readonly unknown[];
    readonly loaded: readonly LoadedCatalog[];
    readonly unavailable: readonly Unavailable[];
    readonly request: DialectShapes[Name]['request'];
  },
  options: Parameters<typeof createToolLists>[0],
): ToolList {
  const { settings, searcher, onEvent } = options;
  const { tools, probe, search } = surface.readTools(parts.others, parts.request);
  return makeToolList(
    {
      format: surface.dialect,
      declared: parts.others.filter(isJsonObject),
      tools,
      added: parts.loaded.flatMap(catalogTools),
      hasCatalogs: parts.loaded.length > 0,
      unavailable: [
        ...parts.loaded.flatMap((catalog) => catalog.unavailable ?? []),
        ...(parts.unavailable.length === 0 ? [] : [() => parts.unavailable]),
      ],
      probe,
      hasSearch: search !== undefined,
    },
    {
      deferral: settings.deferral,
      gate: settings.gate,
      policies: settings.policies,
      maxNameLength: surface.maxNameLength,
      ...(searcher === undefined ? {} : { searcher }),
      ...(onEvent === undefined ? {} : { onEvent }),
    },
  );
}
