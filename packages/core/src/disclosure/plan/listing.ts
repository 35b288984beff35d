import { addToList } from '../../add-to-list.ts';
import type { Snapshot, Tool } from '../../catalog/index.ts';
import { countEach } from '../../count-each.ts';
import { visitInSteps } from '../../slices.ts';
import { counted, FEWEST_OF_A_PREFIX, namePrefix, oneLine, sentenceAfter } from '../text/shorten-text.ts';

/** What a listing is made from. */
export interface ListingOptions {
  readonly snapshot: Snapshot;
  /** What can be searched for. From the same snapshot as the index, so that the two always agree. */
  readonly tools: readonly Tool[];
  readonly countTokens: (text: string) => number;
  /** The budget of the listing. 0 leaves it out. @default 1500 */
  readonly budgetTokens?: number;
}

/** The list of what can be searched for, in as much detail as the budget allows. */
export interface Listing {
  /** `sentences`: names with a first sentence. `names`. `servers`: counts per server or name prefix. `none`: not even those fit. */
  readonly tier: 'sentences' | 'names' | 'servers' | 'none';
  readonly text: string;
}

/** The default budget of a listing. */
export const LISTING_DEFAULTS: { readonly budgetTokens: number } = { budgetTokens: 1500 };

/** No counter returns fewer tokens than one for this many characters: longer texts are over budget without being counted. */
const MOST_CHARACTERS_PER_TOKEN = 16;
const SENTENCE_LENGTH = 100;
const SERVER_NAME_LENGTH = 60;

/**
 * What can be searched for, in as much detail as the budget allows. A model that does not know what exists does not search.
 * Sorted, so that the same tools give the same bytes in any order. Yields wherever it may be interrupted.
 */
export function* makeListing(options: ListingOptions): Generator<void, Listing> {
  const budget = options.budgetTokens ?? LISTING_DEFAULTS.budgetTokens;
  const fits = (text: string): boolean =>
    text.length <= budget * MOST_CHARACTERS_PER_TOKEN && options.countTokens(text) <= budget;
  if (budget <= 0) return { tier: 'none', text: '' };
  const groups = yield* group(options);
  if (groups.length === 0) return { tier: 'none', text: '' };

  yield;
  // Thousands of names don't fit anyway: they are neither sorted nor written.
  if (nameCharacters(groups) <= budget * MOST_CHARACTERS_PER_TOKEN) {
    const sorted = sort(groups);
    const sentences = render(sorted, (name, entry) => `- ${name}${entry.about()}`, '\n');
    if (fits(sentences)) return { tier: 'sentences', text: sentences };
    const names = render(sorted, (name) => name, ', ');
    if (fits(names)) return { tier: 'names', text: names };
  }
  yield;
  const sources = groups.flatMap((one) => (one.server === undefined ? byPrefix(one.entries) : [sourceOf(one)]));
  const largest = [...sources].sort((left, right) => right.count - left.count);
  for (let shown = options.tools.length; shown > 0; shown = Math.floor(shown / 2)) {
    yield;
    const kept = shown >= sources.length ? sources : largest.slice(0, shown);
    const servers = describeSources(kept, sources.length - kept.length);
    if (fits(servers)) return { tier: 'servers', text: servers };
  }
  return { tier: 'none', text: '' };
}

/** `Slack (12), GitHub (31)`, the largest first if not all can be named. Tools without a server are counted by name prefix. */
function describeSources(sources: readonly Source[], rest: number): string {
  const told = sources.map(({ name, count }) => `${name} (${count})`);
  return `You can search for tools of ${told.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more source')}` : ''}.`;
}

interface Source {
  readonly name: string;
  readonly count: number;
}

function sourceOf({ server, entries }: Group): Source {
  return { name: server ?? '', count: entries.length };
}

/** `github_* (31)`. Prefixes of only a few names are counted together. */
function byPrefix(entries: readonly Entry[]): readonly Source[] {
  const totals = countEach(entries.flatMap(({ name }) => namePrefix(name) ?? []));
  const shared = [...totals].filter(([, count]) => count >= FEWEST_OF_A_PREFIX);
  const others = entries.length - shared.reduce((sum, [, count]) => sum + count, 0);
  const named = shared
    .map(([prefix, count]) => ({ name: `${oneLine(prefix, SERVER_NAME_LENGTH)}*`, count }))
    .sort((left, right) => compare(left.name, right.name));
  return others === 0
    ? named
    : [...named, { name: named.length === 0 ? 'various kinds' : 'other kinds', count: others }];
}

/** The common prefix of a server's names is stated once, before them. */
function render(groups: readonly Group[], line: (name: string, entry: Entry) => string, separator: string): string {
  let example: string | undefined;
  const blocks = groups.map(({ server, prefix, entries }) => {
    if (prefix !== '') example ??= prefix;
    const lines = entries.map((entry) => line(entry.name.slice(prefix.length), entry)).join(separator);
    const head = prefix === '' ? server : `${prefix}…`;
    return head === undefined ? lines : `${head}:${separator === '\n' ? '\n' : ' '}${lines}`;
  });
  const how = example === undefined ? '' : ` Names under "${example}…:" begin with ${example}, and so on.`;
  return `You can search for these tools.${how}\n${blocks.join('\n')}`;
}

interface Entry {
  readonly name: string;
  /** The text before the tool's own name. */
  readonly prefix: string;
  /** `: what it does`, or empty. Made only when it is needed. */
  readonly about: () => string;
}

interface Group {
  readonly server: string | undefined;
  /** The common prefix of all names, if it is worth stating separately. */
  readonly prefix: string;
  readonly entries: readonly Entry[];
}

function* group(options: ListingOptions): Generator<void, readonly Group[]> {
  const byServer = new Map<string | undefined, Entry[]>();
  yield* visitInSteps(options.tools, (tool) => {
    const name = options.snapshot.modelName(tool);
    const prefix = name.endsWith(tool.name) ? name.slice(0, name.length - tool.name.length) : '';
    addToList(byServer, tool.server, { name, prefix, about: () => sentenceAfter(tool.description, SENTENCE_LENGTH) });
  });
  return [...byServer]
    .map(([server, entries]) => ({
      server: server === undefined ? undefined : oneLine(server, SERVER_NAME_LENGTH),
      prefix: commonPrefix(entries),
      entries,
    }))
    .sort((left, right) => compare(left.server ?? '', right.server ?? ''));
}

function sort(groups: readonly Group[]): readonly Group[] {
  return groups.map((one) => ({
    ...one,
    entries: [...one.entries].sort((left, right) => compare(left.name, right.name)),
  }));
}

/** Of all names as a listing has them, without common prefixes. */
function nameCharacters(groups: readonly Group[]): number {
  let characters = 0;
  for (const { prefix, entries } of groups) {
    for (const { name } of entries) characters += name.length - prefix.length;
  }
  return characters;
}

/** For at least three names: it does not pay off for fewer. */
function commonPrefix(entries: readonly Entry[]): string {
  const prefix = entries[0]?.prefix ?? '';
  return entries.length >= FEWEST_TO_SHARE && entries.every((entry) => entry.prefix === prefix) ? prefix : '';
}

const FEWEST_TO_SHARE = 3;

/** By code unit: no locale changes the bytes. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
