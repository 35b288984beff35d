import { isJsonObject, type Snapshot, type Tool } from '../../catalog/index.ts';
import { oneLine } from '../text/index.ts';
import type { Named } from './match-levels.ts';

/** In a few words what tells matches apart that look alike: by name, for those of which there is something to say. */
export type Differences = Readonly<Record<string, string>>;

/**
 * Models pick wrong among tools that look alike, so each of these is told by what it alone has: its server, what its name and its first
 * sentence say that the others' don't, and its own parameters. Made from the catalog and the matches alone: a replay knows nothing else.
 */
export function tellApart(matches: readonly Named[]): Differences | undefined {
  if (matches.length < 2) return undefined;
  const traits = matches.slice(0, MOST_MATCHES).map((one) => ({ ...traitsOf(one.tool), name: one.name }));
  const told = traits.flatMap((own) => {
    const others = traits.filter((other) => other !== own && isAlike(own, other));
    const difference = others.length === 0 ? '' : differenceOf(own, others);
    return difference === '' ? [] : [[own.name, difference] as const];
  });
  return told.length < 2 ? undefined : Object.fromEntries(told);
}

interface Traits {
  readonly server: string;
  /** Of the tool's name, without its server's. */
  readonly words: readonly string[];
  readonly sentence: readonly string[];
  readonly parameters: readonly string[];
}

const known = new WeakMap<Tool, Traits>();

/** Read once: every request repeats all answers of its history. */
function traitsOf(tool: Tool): Traits {
  const read = known.get(tool);
  if (read !== undefined) return read;
  const { properties } = tool.schema;
  const { server: source = '' } = tool;
  const server = new Set(wordsOf(source));
  const words = wordsOf(tool.name);
  const bare = words.filter((word) => !server.has(word));
  const traits: Traits = {
    server: oneLine(source, LONGEST),
    words: bare.length === 0 ? words : bare,
    sentence: wordsOf(tool.description.slice(0, READ_CHARACTERS)),
    parameters: isJsonObject(properties) ? Object.keys(properties).slice(0, MOST_PARAMETERS) : [],
  };
  known.set(tool, traits);
  return traits;
}

/** Half of their names' words are the same, or all but the first, which is mostly what is done: `get_issue`, `list_issues`. */
function isAlike(left: Traits, right: Traits): boolean {
  const [first, second] = [left.words.map(singular), right.words.map(singular)];
  const shared = first.filter((word) => second.includes(word)).length;
  const object = first.slice(1).join(' ');
  if (object !== '' && object === second.slice(1).join(' ')) return true;
  return shared / new Set([...first, ...second]).size >= LEAST_SHARED;
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
}

function differenceOf(own: Traits, others: readonly Traits[]): string {
  const only = (list: readonly string[], pick: (traits: Traits) => readonly string[]): string[] => [
    ...new Set(list.filter((one) => others.every((other) => !pick(other).includes(one)))),
  ];
  const isOfOther = own.server !== '' && others.some(({ server }) => server !== own.server);
  const words = own.words.filter((word) =>
    others.every((other) => !other.words.map(singular).includes(singular(word))),
  );
  const said = words.length > 0 ? words : only(own.sentence, (other) => other.sentence).filter(isTelling);
  const parameters = only(own.parameters, (other) => other.parameters).map((one) => oneLine(one, LONGEST));
  return [
    ...(isOfOther ? [own.server] : []),
    ...(said.length > 0 ? [said.slice(0, MOST_SAID).join(' ')] : []),
    ...(parameters.length > 0 ? [`takes ${parameters.slice(0, MOST_SAID).join(', ')}`] : []),
  ].join('; ');
}

function wordsOf(text: string): string[] {
  const spaced = text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => oneLine(word, LONGEST));
}

/** Short words are articles and the like. */
function isTelling(word: string): boolean {
  return word.length > 3;
}

const MOST_MATCHES = 5;
const MOST_PARAMETERS = 32;
const MOST_SAID = 3;
const LEAST_SHARED = 0.5;
const LONGEST = 40;
/** About the first two sentences. */
const READ_CHARACTERS = 240;

const twinsBySnapshot = new WeakMap<Snapshot, ReadonlyMap<Tool, readonly Tool[]>>();

/**
 * The other tools that have a tool's name and description: the same one at another server, as when one service is connected for
 * two accounts. Made from the catalog alone, because a replay knows nothing else.
 */
export function sameTools(snapshot: Snapshot, tool: Tool): readonly Tool[] {
  let twins = twinsBySnapshot.get(snapshot);
  if (twins === undefined) {
    twins = findTwins(snapshot.tools);
    twinsBySnapshot.set(snapshot, twins);
  }
  return (twins.get(tool) ?? []).filter((other) => other !== tool);
}

/** Two passes, so that only names which occur twice cost more than a look. */
function findTwins(tools: readonly Tool[]): ReadonlyMap<Tool, readonly Tool[]> {
  const byName = new Map<string, Tool[]>();
  for (const tool of tools) {
    const namesakes = byName.get(tool.name);
    if (namesakes === undefined) byName.set(tool.name, [tool]);
    else namesakes.push(tool);
  }
  const twins = new Map<Tool, readonly Tool[]>();
  for (const namesakes of byName.values()) {
    if (namesakes.length === 1) continue;
    const byDescription = new Map<string, Tool[]>();
    for (const tool of namesakes) {
      const same = byDescription.get(tool.description) ?? [];
      same.push(tool);
      byDescription.set(tool.description, same);
      twins.set(tool, same);
    }
  }
  return twins;
}
