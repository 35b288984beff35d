import type { Tool } from '../../catalog/index.ts';
import { nameKey } from '../text/index.ts';

interface Parts<Item> {
  readonly tool: (item: Item) => Tool;
  /** Whether the request asks for the tool by its name; such a one stays where it is. */
  readonly isNamed: (item: Item) => boolean;
  /** The item in the place of another, which is then after it. */
  readonly before: (item: Item, other: Item) => Item;
}

/**
 * Puts a tool before one that is deprecated in its favour: where the deprecated one names it, or where it says that it replaces the other.
 * Both must be in the list and of one server.
 */
export function preferSuccessors<Item>(
  items: readonly Item[],
  { tool, isNamed, before }: Parts<Item>,
): readonly Item[] {
  if (!items.some((item) => DEPRECATED.test(tool(item).description))) return items;
  const ordered = [...items];
  for (let at = 0; at < ordered.length; at += 1) {
    const old = ordered[at] as Item;
    if (isNamed(old) || !DEPRECATED.test(tool(old).description)) continue;
    const found = ordered.findIndex((other, place) => place > at && replaces(tool(other), tool(old)));
    if (found < 0) continue;
    const [next] = ordered.splice(found, 1) as [Item];
    ordered.splice(at, 0, before(next, old));
  }
  return ordered;
}

function replaces(next: Tool, old: Tool): boolean {
  if (next.server !== old.server || DEPRECATED.test(next.description)) return false;
  return (
    mentions(old.description, next.name) || (REPLACES.test(next.description) && mentions(next.description, old.name))
  );
}

/** Whether a text has a name as a word of its own, in whatever case and punctuation. */
function mentions(text: string, name: string): boolean {
  const key = nameKey(name);
  return key !== '' && (text.slice(0, MOST_READ).match(WORD) ?? []).some((word) => nameKey(word) === key);
}

const DEPRECATED =
  /\b(?:deprecated|obsolete|superseded|replaced by|no longer (?:supported|maintained)|will be removed|legacy)\b/i;
const REPLACES =
  /\b(?:replaces|replacement (?:for|of)|supersedes|successor (?:of|to)|instead of|newer version of|in place of)\b/i;
const WORD = /[\p{L}\p{N}]+(?:[_\-./:]{1,2}[\p{L}\p{N}]+)*/gu;
const MOST_READ = 4_000;
