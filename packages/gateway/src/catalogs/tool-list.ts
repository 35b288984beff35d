import { createHash } from 'node:crypto';
import { createToolbox, type Snapshot, type Tool, type Toolbox, type ToolboxEvent } from '@quartermaster/core';
import {
  applyPolicies,
  type JsonObject,
  NAME_TEMPLATES,
  type PolicyRules,
  type ToolFormat,
  writeTool,
} from '@quartermaster/core/catalog';
import type { Unavailable } from '@quartermaster/core/disclosure';
import type { SearcherSource, UseMemory } from '@quartermaster/core/dispatch';
import type { GateSettings, SearchLimitSettings } from '@quartermaster/core/gate';
import { createSnapshotInSteps, defined } from '@quartermaster/core/internal';
import { catalogsKey, catalogTools, type LoadedCatalog } from './named-catalogs.ts';

/** The tools of requests that all have the same ones: read, indexed and planned for once. Holds nothing of any conversation. */
export interface ToolList {
  /** The request's own definitions, named catalogs left out. */
  readonly declared: readonly JsonObject[];
  /** The same with named catalogs written out, for a host that is to get them all. */
  definitions(): readonly JsonObject[];
  readonly toolbox: Toolbox;
  /** The definitions by which a request's search is recognised. */
  readonly searchTools: readonly JsonObject[];
  /** Whether named catalogs are among the tools, which their client can't search by itself. */
  readonly hasCatalogs: boolean;
  /** Which tool a model's name for one means. */
  identify(modelName: string): IdentifiedTool;
  /** The client takes part in tool search: it marked tools, or brought a search of its own. */
  readonly isMarked: boolean;
}

export interface IdentifiedTool {
  /** The tool's id, as searches and events have it; the name itself if the list has no such tool. */
  readonly id: string;
  /** Whether it is one of a named catalog, and none of the request's own. */
  readonly isFromCatalog: boolean;
}

export interface ToolListParts {
  readonly format: ToolFormat;
  readonly declared: readonly JsonObject[];
  /** The declared ones first. */
  readonly tools: readonly Tool[];
  readonly searchTools: readonly JsonObject[];
  readonly hasSearch: boolean;
  /** Named catalogs, whose tools come after the declared ones. */
  readonly added: readonly LoadedCatalog[];
  /** Whether catalogs were named, even if they hold nothing now. */
  readonly hasCatalogs: boolean;
  /** Each tells which servers, behind a named catalog or named by the request, lack tools now, and why. */
  readonly unavailable: readonly (() => readonly Unavailable[])[];
}

export interface ToolListOptions {
  readonly deferral: 'as-requested' | 'auto' | 'adaptive';
  readonly gate: GateSettings;
  readonly policies: PolicyRules;
  readonly listingTokens: number;
  readonly maxNameLength: number;
  readonly maxQueryLength: number;
  readonly searcher?: SearcherSource;
  /** @default nothing is learned from use */
  readonly uses?: UseMemory | undefined;
  readonly onEvent?: (event: ToolboxEvent) => void;
  /** Whether events carry the texts of searches. */
  readonly recordQueries: boolean;
}

/** As the Messages API has it: its search returns five tools at the most. */
const MESSAGES_LIMIT = 5;

/** With a yield wherever it may be interrupted: named catalogs can have many thousand tools. */
export function* makeToolListInSteps(parts: ToolListParts, options: ToolListOptions): Generator<void, ToolList> {
  const { declared, searchTools, hasCatalogs, unavailable } = parts;
  const all = yield* collectTools(parts);
  const isMarked = parts.hasSearch || all.some((tool) => tool.policy === 'always' || OWN_SEARCH.test(tool.name));
  const isAutomatic = options.deferral !== 'as-requested' && !isMarked;
  const tools: Tool[] = [];
  for (let start = 0; start < all.length; start += STEP_TOOLS) {
    const some = all.slice(start, start + STEP_TOOLS);
    // A request that defers some tools has decided about all of them.
    tools.push(...(isAutomatic ? applyPolicies(some, options.policies) : some.map(decided)));
    yield;
  }
  const { maxNameLength, maxQueryLength, searcher, uses, onEvent, recordQueries } = options;
  const snapshot = yield* createSnapshotInSteps(tools, {
    nameTemplate: NAME_TEMPLATES.proxy,
    maxNameLength,
    // Counted before, where it is known which of the limits it is about.
    maxTools: Number.POSITIVE_INFINITY,
    // What the client declares stands before what a catalog has by the same name.
    onDuplicate: hasCatalogs ? 'first' : 'error',
    digest,
    ...(parts.tools.length === 0 ? defined({ contentKey: catalogsKey(parts.added) }) : {}),
  });
  const toolbox = createToolbox({
    tools: snapshot,
    maxQueryLength,
    settings: isAutomatic ? options.gate : asRequested(parts.format, options.gate.search),
    listingTokens: options.listingTokens,
    ...(unavailable.length === 0 ? {} : { unavailable: () => unavailable.flatMap((tell) => tell()) }),
    ...defined({ searcher, uses }),
    recordQueries,
    now: preciseNow,
    ...defined({ onEvent }),
  });
  let written: readonly JsonObject[] | undefined;
  const own = new Set(hasCatalogs ? parts.tools.map(({ id }) => id) : []);
  return {
    declared,
    toolbox,
    searchTools,
    hasCatalogs,
    identify(modelName) {
      const id = toolbox.snapshot().resolve(modelName)?.id;
      return { id: id ?? modelName, isFromCatalog: hasCatalogs && id !== undefined && !own.has(id) };
    },
    isMarked,
    definitions() {
      if (!hasCatalogs) return declared;
      written ??= [...declared, ...writeOut(parts.format, toolbox.snapshot(), parts.tools.length)];
      return written;
    },
  };
}

const TIME_ORIGIN = performance.timeOrigin;

/** A search takes less than a millisecond, so whole ones would say nothing. */
function preciseNow(): number {
  return TIME_ORIGIN + performance.now();
}

/** The declared ones first, then those of named catalogs. */
function* collectTools({ tools, added }: ToolListParts): Generator<void, readonly Tool[]> {
  if (added.length === 0) return tools;
  const all = [...tools];
  for (const catalog of added) {
    for (let start = 0; start < catalog.tools.length; start += STEP_TOOLS) {
      all.push(...catalogTools({ ...catalog, tools: catalog.tools.slice(start, start + STEP_TOOLS) }));
      yield;
    }
  }
  return all;
}

const STEP_TOOLS = 512;

/** What is marked is deferred, and nothing else; only how much a search returns is for the settings to say. */
function asRequested(format: ToolFormat, search: SearchLimitSettings): GateSettings {
  const most = format === 'anthropic' ? MESSAGES_LIMIT : Number.POSITIVE_INFINITY;
  const limits = { defaultLimit: Math.min(search.defaultLimit, most), maxLimit: Math.min(search.maxLimit, most) };
  return { rule: { kind: 'on' }, search: limits, pins: [] };
}

function writeOut(format: ToolFormat, snapshot: Snapshot, from: number): readonly JsonObject[] {
  return snapshot.tools
    .slice(from)
    .map((tool) => writeTool(tool, format, { name: snapshot.modelName(tool), deferred: tool.policy === 'always' }));
}

function decided(tool: Tool): Tool {
  return tool.policy === 'automatic' ? { ...tool, policy: 'never' } : tool;
}

/** A search tool of the client's own, by the names that are in use. Adding another one would break what its client expects. */
const OWN_SEARCH = /^(?:tool_?search|search_?tools|DeferredToolPlaceholder)/i;

function digest(chunks: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk, 'utf8');
  return hash.digest('hex');
}
