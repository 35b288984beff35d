import { addToList } from '../../add-to-list.ts';
import type { Snapshot, Tool } from '../../catalog/index.ts';
import { nameKey } from '../text/characters.ts';

/** What finding tools by name needs from a catalog. A tool is its position in the catalog. */
export interface NameSource {
  /** Tools whose name has this key, in catalog order. */
  findNames(key: string): readonly number[];
  /** Tools of this server whose name has this key, both given as keys. */
  findServerNames(serverKey: string, key: string): readonly number[];
  /** Whether a server has this key. */
  hasServer(key: string): boolean;
  /** Tools that a model knows by this name, in whatever case and punctuation. */
  findModelNames(name: string): readonly number[];
  /** The tool's name as its owner wrote it. */
  nameOf(tool: number): string;
  /** The length of the longest key of a name with its server. */
  readonly longestKey: number;
  readonly longestServerKey: number;
}

/**
 * The tools that a query names, in the order of the query.
 *
 * Either the query is nothing but names (`get accounts`, `GetAccounts, list-users`), or names stand out in it: written like
 * an identifier (`use get_accounts for this`) or in backticks. A plain word of a sentence is never taken for a name.
 */
export function findNames(text: string, source: NameSource): number[] {
  const covered = coverWithNames(text, source);
  const names = covered.length > 0 ? covered : standingOut(text).map((name) => findOneName(name, source));
  return [...new Set(names.flatMap((tools) => literalFirst(tools, text, source)))];
}

/** If names differ only in case and punctuation, tools whose names are written as in the text come first. */
function literalFirst(tools: readonly number[], text: string, source: NameSource): readonly number[] {
  if (tools.length < 2) return tools;
  const literal = tools.filter((tool) => text.includes(source.nameOf(tool)));
  return [...literal, ...tools.filter((tool) => !literal.includes(tool))];
}

/** The tools with one name, as itself, after its server, or as a model sees it. */
export function findOneName(name: string, source: NameSource): readonly number[] {
  const atoms = splitAtoms(name);
  if (atoms.length > 0) {
    const plain = source.findNames(joinKeys(atoms, 0, atoms.length));
    const found = plain.length > 0 ? plain : findAfterServer(atoms, serverEnds(atoms, 0, source), atoms.length, source);
    if (found.length > 0) return found;
  }
  return source.findModelNames(name.trim());
}

/**
 * The keys that {@link findNames} may look for: of everything in a text that may be a name, with or without its server's. For
 * catalogs whose names are in a database and have to be read in one query.
 */
export function findSpokenNames(text: string): readonly string[] {
  const keys = new Set<string>();
  for (const part of [text, ...standingOut(text)]) {
    const atoms = splitAtoms(part);
    for (let start = 0; start < atoms.length; start += 1) {
      let key = '';
      for (let end = start; end < atoms.length && end - start < MOST_SPOKEN_ATOMS; end += 1) {
        key += atoms.key(end);
        if (key.length > LONGEST_SPOKEN) break;
        if (key !== '') keys.add(key);
      }
    }
  }
  const literal = nameKey(text) === '' ? text.trim().slice(0, LONGEST_SPOKEN) : '';
  return literal === '' ? [...keys] : [literal, ...keys];
}

/** Splits the whole query into as few names as possible, from its start; empty if anything is left over. */
function coverWithNames(text: string, source: NameSource): readonly (readonly number[])[] {
  const atoms = splitAtoms(text);
  const covers: (readonly (readonly number[])[] | undefined)[] = [[]];
  for (let start = 0; start < atoms.length; start += 1) {
    const before = covers[start];
    if (before === undefined) continue;
    if (CONNECTIVES.has(atoms.key(start))) offer(covers, start + 1, before);
    const servers = serverEnds(atoms, start, source);
    let key = '';
    for (let end = start + 1; end <= atoms.length && key.length <= source.longestKey; end += 1) {
      key += atoms.key(end - 1);
      const plain = source.findNames(key);
      const found = plain.length > 0 ? plain : findAfterServer(atoms, servers, end, source);
      if (found.length > 0) offer(covers, end, [...before, found]);
    }
  }
  return covers[atoms.length] ?? [];
}

/** Keeps the cover with the fewest names up to each position. */
function offer(
  covers: (readonly (readonly number[])[] | undefined)[],
  end: number,
  cover: readonly (readonly number[])[],
): void {
  const other = covers[end];
  if (other === undefined || cover.length < other.length) covers[end] = cover;
}

/** Where a server's name that starts at a place (perhaps after `mcp`) may end, and its key. */
interface ServerEnd {
  readonly end: number;
  readonly key: string;
}

function serverEnds(atoms: Atoms, start: number, source: NameSource): readonly ServerEnd[] {
  const ends: ServerEnd[] = [];
  const first = atoms.key(start) === MODEL_PREFIX ? [start, start + 1] : [start];
  for (const from of first) {
    let key = '';
    for (let end = from + 1; end < atoms.length && key.length <= source.longestServerKey; end += 1) {
      key += atoms.key(end - 1);
      if (source.hasServer(key)) ends.push({ end, key });
    }
  }
  return ends;
}

/** Tools of a server whose name is the text between the server's name and `end`. */
function findAfterServer(
  atoms: Atoms,
  servers: readonly ServerEnd[],
  end: number,
  source: NameSource,
): readonly number[] {
  for (const server of servers) {
    const found = server.end < end ? source.findServerNames(server.key, joinKeys(atoms, server.end, end)) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** A text's runs of letters and digits. Their keys are computed on demand: most queries are ruled out by the first few. */
interface Atoms {
  readonly length: number;
  key(at: number): string;
}

/** Empty if there are too many for a query that contains only names. */
function splitAtoms(text: string): Atoms {
  const parts = text.length > LONGEST_COVERED ? [] : text.split(NOT_WORD).filter((part) => part !== '');
  const keys: string[] = [];
  return {
    length: parts.length > MOST_ATOMS ? 0 : parts.length,
    key(at) {
      keys[at] ??= nameKey(parts[at] ?? '');
      return keys[at];
    },
  };
}

function joinKeys(atoms: Atoms, start: number, end: number): string {
  let key = '';
  for (let at = start; at < end; at += 1) key += atoms.key(at);
  return key;
}

/** What is written like an identifier, or in backticks. */
function standingOut(text: string): string[] {
  if (!MAY_STAND_OUT.test(text)) return [];
  const names: string[] = [];
  for (const found of text.matchAll(STANDING_OUT)) {
    names.push(found[1] ?? found[0]);
    if (names.length >= MOST_STANDING_OUT) break;
  }
  return names;
}

/** ASCII characters other than letters and digits, and spaces of any kind; keys don't contain other punctuation anyway. */
const NOT_WORD = /[\s!-/:-@[-`{-~]+/;
/** What may stand between names; the empty one is punctuation. */
const CONNECTIVES: ReadonlySet<string> = new Set(['', 'and', 'or', 'then']);
const MODEL_PREFIX = 'mcp';
/** The limits of a name written as separate words: words and characters. */
const MOST_SPOKEN_ATOMS = 10;
const LONGEST_SPOKEN = 160;
const LONGEST_COVERED = 1_024;
const MOST_ATOMS = 48;
const MOST_STANDING_OUT = 32;
/** A cheap check before the pattern below. */
const MAY_STAND_OUT = /[`_]|\S[./:-]\S|[a-z][A-Z]|[A-Z]{2}[a-z]|[^ -~]/;
/**
 * Backticks around a short text; words joined by punctuation; capitals inside a word. A word is examined only from its start, since a
 * text may be a single word.
 */
const STANDING_OUT =
  /`([^`\n]{1,256})`|(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[_\-./:]{1,3}[\p{L}\p{N}]+)+|[\p{L}\p{N}]*(?:\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll})[\p{L}\p{N}]*)/gu;

/** What an index knows about names. */
export interface NameIndex {
  /** Tools whose name has this key, as positions in the catalog. */
  findNames(key: string): number[];
  /** The length of the longest key of a name. */
  readonly longestNameKey: number;
}

/** Finds the tools of a snapshot by name. Only model names that don't follow from server and name are kept, once asked for. */
export function createNameDirectory(snapshot: Snapshot, index: NameIndex): NameSource {
  const { tools } = snapshot;
  const serverKeys = new Set(snapshot.servers.map(nameKey));
  let longestServer = 0;
  for (const key of serverKeys) longestServer = Math.max(longestServer, key.length);
  let oddModelNames: Map<string, number[]> | undefined;
  return {
    longestKey: MODEL_PREFIX_LENGTH + longestServer + index.longestNameKey,
    longestServerKey: longestServer,
    findNames: (key) => index.findNames(key),
    nameOf: (tool) => tools[tool]?.name ?? '',
    hasServer: (key) => serverKeys.has(key),
    findServerNames: (serverKey, key) =>
      index.findNames(key).filter((tool) => nameKey(tools[tool]?.server ?? '') === serverKey),
    findModelNames(name) {
      const exact = snapshot.resolve(name);
      if (exact !== undefined) {
        return index.findNames(nameKey(exact.name)).filter((tool) => tools[tool]?.id === exact.id);
      }
      oddModelNames ??= collectOddModelNames(snapshot);
      return oddModelNames.get(nameKey(name)) ?? [];
    },
  };
}

/** Of `mcp`, which may stand before a server's name. */
const MODEL_PREFIX_LENGTH = 3;

/** Model names by key, where server and name together have another one: shortened names and those with a suffix. */
function collectOddModelNames(snapshot: Snapshot): Map<string, number[]> {
  const found = new Map<string, number[]>();
  snapshot.tools.forEach((tool, position) => {
    const key = nameKey(snapshot.modelName(tool));
    if (key !== '' && !isRegular(tool, key)) addToList(found, key, position);
  });
  return found;
}

function isRegular(tool: Tool, key: string): boolean {
  const name = nameKey(tool.name);
  if (key === name) return true;
  const full = nameKey(tool.server ?? '') + name;
  return key === full || key === `mcp${full}`;
}
