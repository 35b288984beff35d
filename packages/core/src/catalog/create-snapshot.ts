import { checkOptionNames, type OptionNames, readChoice } from '../check-option-names.ts';
import { CatalogError, SettingError } from '../errors.ts';
import { runToEnd } from '../run-to-end.ts';
import { createModelNamesInSteps, type ModelNames } from './model-name.ts';
import { renderTool } from './render-tool.ts';
import { sha256 } from './sha256.ts';
import type { Tool } from './tool.ts';

/** How a snapshot is made. */
export interface SnapshotOptions {
  /** How many tools it may hold. @default 10_000 */
  readonly maxTools?: number | undefined;
  /** What a second tool with the same id does: fails, is left out, or takes the first one's place. @default 'error' */
  readonly onDuplicate?: 'error' | 'first' | 'last' | undefined;
  /** How `modelName` makes names, see `createModelNames`. @default '{server}__{tool}' */
  readonly nameTemplate?: string | undefined;
  /** The longest model name, 32 to 256. @default 64 */
  readonly maxNameLength?: number | undefined;
  /** SHA-256 of the chunks' UTF-8 bytes in hexadecimal, where the platform has a faster one. @default the built-in one */
  readonly digest?: ((chunks: Iterable<string>) => string) | undefined;
  /** See {@link Snapshot.contentKey}. @default none; it is computed from the tools when needed */
  readonly contentKey?: string | undefined;
}

/** The limits of a snapshot, unless the options say otherwise. */
export const SNAPSHOT_DEFAULTS: { readonly maxTools: number; readonly onDuplicate: 'error' } = {
  maxTools: 10_000,
  onDuplicate: 'error',
};

/**
 * Takes a snapshot of a list of tools. The list is copied and frozen; schemas are shared with the caller, who must not change
 * them.
 *
 * The hash covers everything that a definition can put before a model or a searcher: order of tools and of keys included,
 * since both are bytes of the prompt. Names are not part of it: they follow from the content and the template. The hash and
 * the names are worked out when first asked for.
 *
 * @example
 * const snapshot = createSnapshot(parseTools(definitions).tools);
 */
export function createSnapshot(tools: Iterable<Tool>, options: SnapshotOptions = {}): Snapshot {
  return snapshotOf(runToEnd(collect(tools, options)), options);
}

/** What {@link createSnapshot} gives, its names worked out, with a yield wherever that may be interrupted. */
export function* createSnapshotInSteps(
  tools: Iterable<Tool>,
  options: SnapshotOptions = {},
): Generator<void, Snapshot> {
  const collected = yield* collect(tools, options);
  const names = yield* createModelNamesInSteps(collected.list, options);
  return snapshotOf(collected, options, names);
}

function snapshotOf({ list, slots }: Collected, options: SnapshotOptions, known?: ModelNames): Snapshot {
  const digest = options.digest ?? sha256;
  let hash: string | undefined;
  let names = known;
  let servers: readonly string[] | undefined;
  const modelNames = (): ModelNames => {
    names ??= runToEnd(createModelNamesInSteps(list, options));
    return names;
  };
  return Object.freeze({
    ...(options.contentKey === undefined ? {} : { contentKey: options.contentKey }),
    tools: list,
    get hash(): string {
      hash ??= digest(renderCatalog(list));
      return hash;
    },
    get servers(): readonly string[] {
      servers ??= Object.freeze(listServers(list));
      return servers;
    },
    get(id: string): Tool | undefined {
      const slot = slots.get(id);
      return slot === undefined ? undefined : list[slot];
    },
    modelName(tool: Tool): string {
      const name = modelNames().nameOf(tool.id);
      if (name !== undefined) return name;
      throw new CatalogError('unknown_tool', `Tool "${tool.id}" is not in this snapshot, so it has no model name`, {
        context: { id: tool.id },
      });
    },
    resolve: (modelName: string): Tool | undefined => modelNames().resolve(modelName),
  });
}

interface Collected {
  readonly list: readonly Tool[];
  /** From id to index in the list. */
  readonly slots: ReadonlyMap<string, number>;
}

const OPTIONS: OptionNames<SnapshotOptions> = {
  maxTools: true,
  onDuplicate: true,
  nameTemplate: true,
  maxNameLength: true,
  digest: true,
  contentKey: true,
};

function* collect(tools: Iterable<Tool>, options: SnapshotOptions): Generator<void, Collected> {
  checkOptionNames('createSnapshot', options, OPTIONS);
  const maxTools = options.maxTools ?? SNAPSHOT_DEFAULTS.maxTools;
  const onDuplicate = readChoice('onDuplicate', options.onDuplicate ?? SNAPSHOT_DEFAULTS.onDuplicate, [
    'error',
    'first',
    'last',
  ]);
  if (!(maxTools >= 0)) {
    throw new SettingError('invalid_limit', `maxTools is ${maxTools}, not a number of at least 0`, {
      context: { maxTools },
    });
  }
  const list: Tool[] = [];
  const slots = new Map<string, number>();
  let position = 0;
  for (const tool of tools) {
    const slot = slots.get(tool.id);
    if (slot === undefined) {
      if (list.length >= maxTools) throw tooMany(maxTools);
      slots.set(tool.id, list.length);
      list.push(tool);
    } else if (onDuplicate === 'error') {
      // Nothing was left out so far, so the slot is also the position in the input.
      throw duplicate(tool, slot, position);
    } else if (onDuplicate === 'last') {
      list[slot] = tool;
    }
    position += 1;
    if (position % STEP_TOOLS === 0) yield;
  }
  return { list: Object.freeze(list), slots };
}

const STEP_TOOLS = 512;

function tooMany(maxTools: number): CatalogError {
  return new CatalogError(
    'too_many_tools',
    `The catalog has more than ${maxTools} tools; leave some out or raise maxTools`,
    { context: { maxTools } },
  );
}

function duplicate(tool: Tool, first: number, second: number): CatalogError {
  return new CatalogError(
    'duplicate_tool',
    `Tool "${tool.id}" is at position ${first} and again at position ${second}; rename one, give them different servers, or set onDuplicate to 'first' or 'last'`,
    { context: { id: tool.id, first, second } },
  );
}

function listServers(tools: readonly Tool[]): string[] {
  const servers = new Set<string>();
  for (const tool of tools) if (tool.server !== undefined) servers.add(tool.server);
  return [...servers];
}

/** The pieces that a snapshot's hash is computed from, for computing it in slices. */
export function* renderCatalog(tools: Iterable<Tool>): Generator<string> {
  yield 'quartermaster catalog 1\n';
  for (const tool of tools) {
    yield renderTool(tool);
    yield '\n';
  }
}

/** An immutable catalog at one moment. Two with the same content have the same hash. */
export interface Snapshot {
  /** SHA-256 of the content, in lower-case hexadecimal. */
  readonly hash: string;
  /**
   * A key for the content, if it is known without reading the tools, such as the hash of a file: the same key means the same
   * tools in the same order. Indexes are kept by it.
   */
  readonly contentKey?: string;
  /** In catalog order. */
  readonly tools: readonly Tool[];
  /** The servers, in the order in which they first appear. */
  readonly servers: readonly string[];
  get(id: string): Tool | undefined;
  /** The name that a model sees for this tool; stable for the same set of tools. */
  modelName(tool: Tool): string;
  /** The tool behind a name that a model wrote. */
  resolve(modelName: string): Tool | undefined;
}
