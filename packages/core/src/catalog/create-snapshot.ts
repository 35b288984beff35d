import { checkOptionNames, readChoice } from '../check-option-names.ts';
import { CatalogError, SettingError } from '../errors.ts';
import { once } from '../memoized.ts';
import { runToEnd } from '../slices.ts';
import { defined } from './json.ts';
import { renderTool } from './render-tool.ts';
import { sha256 } from './sha256.ts';
import type { Tool } from './tool.ts';

/** Options of `createSnapshot`. */
export interface SnapshotOptions extends ModelNameOptions {
  /** How many tools it may contain. @default 10_000 */
  readonly maxTools?: number | undefined;
  /** What happens to a second tool with the same id: an error, it is left out, or it replaces the first. @default 'error' */
  readonly onDuplicate?: 'error' | 'first' | 'last' | undefined;
  /** SHA-256 of the chunks' UTF-8 bytes in hexadecimal, if the platform has a faster implementation. @default the built-in one */
  readonly digest?: ((chunks: Iterable<string>) => string) | undefined;
  /** See {@link Snapshot.contentKey}. @default none; it is computed from the tools when needed */
  readonly contentKey?: string | undefined;
}

/** The default limits of a snapshot. */
export const SNAPSHOT_DEFAULTS: { readonly maxTools: number; readonly onDuplicate: 'error' } = {
  maxTools: 10_000,
  onDuplicate: 'error',
};

/**
 * Takes a snapshot of a list of tools. The list is copied and frozen; schemas are shared with the caller, who must not change
 * them.
 *
 * The hash covers everything in a definition that can reach a model or a searcher, including the order of tools and of keys,
 * because both are bytes of the prompt. Names are not part of it: they follow from the content and the template. The hash and
 * the names are computed when first requested.
 *
 * @example
 * const snapshot = createSnapshot(parseTools(definitions).tools);
 */
export function createSnapshot(tools: Iterable<Tool>, options: SnapshotOptions = {}): Snapshot {
  return snapshotOf(runToEnd(collect(tools, options)), options);
}

/** The same as {@link createSnapshot}, with names computed, and a yield wherever that may be interrupted. */
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
  const hash = once(() => digest(renderCatalog(list)));
  const servers = once(() => Object.freeze(listServers(list)));
  const modelNames = once(() => known ?? runToEnd(createModelNamesInSteps(list, options)));
  return Object.freeze({
    ...defined({ contentKey: options.contentKey }),
    tools: list,
    get hash(): string {
      return hash();
    },
    get servers(): readonly string[] {
      return servers();
    },
    get(id: string): Tool | undefined {
      const slot = slots.get(id);
      return slot === undefined ? undefined : list[slot];
    },
    modelName(tool: Tool): string {
      const name = modelNames().nameOf(tool.id);
      if (name !== undefined) return name;
      const message = `Tool "${tool.id}" is not in this snapshot, so it has no model name`;
      throw new CatalogError('unknown_tool', message, { context: { id: tool.id } });
    },
    resolve: (modelName: string): Tool | undefined => modelNames().resolve(modelName),
  });
}

interface Collected {
  readonly list: readonly Tool[];
  /** From id to index in the list. */
  readonly slots: ReadonlyMap<string, number>;
}

function* collect(tools: Iterable<Tool>, options: SnapshotOptions): Generator<void, Collected> {
  checkOptionNames('createSnapshot', options, 'nameTemplate maxNameLength digest contentKey', SNAPSHOT_DEFAULTS);
  const maxTools = options.maxTools ?? SNAPSHOT_DEFAULTS.maxTools;
  const onDuplicate = readChoice('onDuplicate', options.onDuplicate ?? SNAPSHOT_DEFAULTS.onDuplicate, ON_DUPLICATE);
  if (!(maxTools >= 0)) throw invalidLimit(`maxTools is ${maxTools}, not a number of at least 0`, { maxTools });
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
      // Nothing has been left out so far, so the slot is also the position in the input.
      throw duplicate(tool, slot, position);
    } else if (onDuplicate === 'last') {
      list[slot] = tool;
    }
    position += 1;
    if (position % STEP_TOOLS === 0) yield;
  }
  return { list: Object.freeze(list), slots };
}

const ON_DUPLICATE = ['error', 'first', 'last'] as const;
const STEP_TOOLS = 512;

function tooMany(maxTools: number): CatalogError {
  const message = `The catalog has more than ${maxTools} tools; leave some out or raise maxTools`;
  return new CatalogError('too_many_tools', message, { context: { maxTools } });
}

function invalidLimit(message: string, context: Readonly<Record<string, number>>): SettingError {
  return new SettingError('invalid_limit', message, { context });
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
   * tools in the same order. Indexes are cached by it.
   */
  readonly contentKey?: string;
  /** In catalog order. */
  readonly tools: readonly Tool[];
  /** The servers, in the order of their first tool. */
  readonly servers: readonly string[];
  get(id: string): Tool | undefined;
  /** The name that a model sees for this tool; stable for the same set of tools. */
  modelName(tool: Tool): string;
  /** The tool with a name that a model wrote. */
  resolve(modelName: string): Tool | undefined;
}

/** The names that a model sees, in both directions. */
export interface ModelNames {
  /** Undefined for a tool that is not in the list. */
  nameOf(id: string): string | undefined;
  /** Exact: small mistakes of a model are repaired in dispatch, not here. */
  resolve(modelName: string): Tool | undefined;
}

/** Options of `createModelNames`. */
export interface ModelNameOptions {
  /** Where `{server}` and `{tool}` go; a tool without a server keeps its plain name. @default '{server}__{tool}' */
  readonly nameTemplate?: string | undefined;
  /** The longest name that the provider accepts, 32 to 256. @default 64 */
  readonly maxNameLength?: number | undefined;
}

/** The templates in use. */
export const NAME_TEMPLATES = {
  /** Agents and their permission rules. */
  agent: 'mcp__{server}__{tool}',
  /** The Messages API's MCP connector. */
  connector: '{server}_{tool}',
  /** The MCP proxy. */
  proxy: '{server}__{tool}',
  /** The tool's own name. */
  plain: '{tool}',
} as const;

/** The default names of tools. */
export const MODEL_NAME_DEFAULTS: { readonly nameTemplate: string; readonly maxNameLength: number } = {
  nameTemplate: NAME_TEMPLATES.proxy,
  maxNameLength: 64,
};

/**
 * Names every tool so that providers accept the names (`[a-zA-Z0-9_-]`, limited length) and all are different.
 *
 * A name that is valid and unique stays as the template makes it. Any other gets a suffix from the hash of the tool's id: a name
 * that had to be changed (`math.factorial` → `math_factorial_1f0c9a3e`), and all names of a group that would be equal,
 * not only the later ones. So a name depends on the tool itself and on those that collide with it, never on order or on
 * unrelated tools. If a name with a suffix is taken, it gets a longer suffix.
 */
export function createModelNames(tools: readonly Tool[], options: ModelNameOptions = {}): ModelNames {
  checkOptionNames('createModelNames', options, MODEL_NAME_DEFAULTS);
  return runToEnd(createModelNamesInSteps(tools, options));
}

/** The same as {@link createModelNames}, with a yield wherever it may be interrupted. */
function* createModelNamesInSteps(tools: readonly Tool[], options: ModelNameOptions = {}): Generator<void, ModelNames> {
  const template = options.nameTemplate ?? MODEL_NAME_DEFAULTS.nameTemplate;
  const maxLength = options.maxNameLength ?? MODEL_NAME_DEFAULTS.maxNameLength;
  checkTemplate(template);
  checkLength(maxLength);
  const entries: Entry[] = [];
  for (const tool of tools) if (entries.push(createEntry(tool, template, maxLength)) % STEP_TOOLS === 0) yield;
  const byName = yield* settle(entries, maxLength);
  const names = new Map<string, string>();
  for (const entry of entries) {
    names.set(entry.tool.id, entry.name);
    if (names.size % STEP_TOOLS === 0) yield;
  }
  return { nameOf: (id) => names.get(id), resolve: (modelName) => byName.get(modelName)?.tool };
}

interface Entry {
  readonly tool: Tool;
  /** The template's result with invalid characters replaced, not yet shortened. */
  readonly wanted: string;
  /** The length of the hash suffix, as an index into `SUFFIX_DIGITS`; 0 is none. */
  level: number;
  name: string;
}

function createEntry(tool: Tool, template: string, maxLength: number): Entry {
  const filled = tool.server === undefined ? tool.name : fill(template, tool.server, tool.name);
  const wanted = REFUSED.test(filled) ? filled.replace(ALL_REFUSED, '_') : filled;
  const entry: Entry = { tool, wanted, level: 0, name: wanted };
  if (wanted !== filled || wanted.length > maxLength) lengthen(entry, maxLength);
  return entry;
}

/** Function replacements, because `$&` in a server's name must stay as it is. */
function fill(template: string, server: string, tool: string): string {
  return template.replace(PLACEHOLDER, (placeholder) => (placeholder === '{server}' ? server : tool));
}

/** Lengthens suffixes until all names differ. It ends, because a suffix grows in each round and the longest ones are unique. */
function* settle(entries: readonly Entry[], maxLength: number): Generator<void, Map<string, Entry>> {
  for (;;) {
    const byName = new Map<string, Entry>();
    const clashes = new Map<string, Entry[]>();
    for (let at = 0; at < entries.length; at += 1) {
      if (at % STEP_TOOLS === 0) yield;
      const entry = entries[at] as Entry;
      const first = byName.get(entry.name);
      if (first === undefined) {
        byName.set(entry.name, entry);
        continue;
      }
      const group = clashes.get(entry.name) ?? [first];
      group.push(entry);
      clashes.set(entry.name, group);
    }
    if (clashes.size === 0) return byName;
    for (const group of clashes.values()) {
      separate(group, maxLength);
      yield;
    }
  }
}

/** A plain name changes only if it equals another plain one, or if the others have no longer suffix. */
function separate(group: readonly Entry[], maxLength: number): void {
  const movable = group.filter((entry) => entry.level > 0 && entry.level < SUFFIX_DIGITS.length - 1);
  const plain = group.filter((entry) => entry.level === 0);
  if (movable.length > 0 && plain.length <= 1) for (const entry of movable) lengthen(entry, maxLength);
  else for (const entry of [...movable, ...plain]) lengthen(entry, maxLength);
  if (movable.length + plain.length === 0) {
    const ids = group.map((entry) => entry.tool.id);
    const message = `Tools ${ids.join(', ')} can't be distinguished by name`;
    throw new CatalogError('duplicate_tool', message, { context: { ids } });
  }
}

function lengthen(entry: Entry, maxLength: number): void {
  entry.level += 1;
  const digits = Math.min(SUFFIX_DIGITS[entry.level] ?? 0, maxLength - 1);
  const suffix = `_${sha256([entry.tool.id]).slice(0, digits)}`;
  entry.name = entry.wanted.slice(0, maxLength - suffix.length) + suffix;
}

function checkTemplate(template: string): void {
  const literal = template.replace(PLACEHOLDER, '');
  if (template.includes('{tool}') && !REFUSED.test(literal)) return;
  throw new CatalogError(
    'invalid_name_template',
    `Name template ${JSON.stringify(template)} must contain {tool}, may contain {server}, and otherwise only letters, digits, _ and -`,
    { context: { template } },
  );
}

function checkLength(maxLength: number): void {
  if (Number.isInteger(maxLength) && maxLength >= 32 && maxLength <= 256) return;
  const message = `The longest model name is ${maxLength}, not a whole number from 32 to 256`;
  throw invalidLimit(message, { maxNameLength: maxLength });
}

const PLACEHOLDER = /\{server\}|\{tool\}/g;
const REFUSED = /[^a-zA-Z0-9_-]/;
const ALL_REFUSED = /[^a-zA-Z0-9_-]/g;

/** Hexadecimal digits of the suffix per level: 32 bits are enough for a catalog, the rest is for names made to collide. */
const SUFFIX_DIGITS: readonly number[] = [0, 8, 16, 32, 56];
