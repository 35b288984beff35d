import type { Tool } from '../../catalog/index.ts';
import type { VectorIndex } from '../semantic/vector-index.ts';
import { nameKey } from '../text/characters.ts';
import { type HybridFeatures, mapFeatures } from './features.ts';
import { Columns, type RatedTools } from './rate-tools.ts';

/** A tool's entry for one query, with the parts of its score. */
export interface HybridRanking {
  readonly tool: number;
  /** `bonus + base + intent + sibling + lift`. */
  readonly score: number;
  /** For a tool that the query names, more than all other parts together; otherwise 0. */
  readonly bonus: number;
  /** The weighted sum of the features. */
  readonly base: number;
  /** Added if it serves a clause better than everything ranked above it. */
  readonly intent: number;
  /** Added because a tool of its server is ranked above. */
  readonly sibling: number;
  /** Added to move it into the first five places, if its score alone would not. */
  readonly lift: number;
  readonly features: HybridFeatures;
}

export interface OrderOptions {
  /** See `HybridOptions`. */
  readonly intentWeight: number;
  /** A clause whose best fit is at most this is filler, and reserves no place. */
  readonly fillerFit: number;
  /** See `HybridOptions`. */
  readonly siblingWeight: number;
  /** The maximum number of places. */
  readonly wanted: number;
  /** A tool that gets one of the first five places whatever its score, as its index among the candidates. @default none */
  readonly kept?: number | undefined;
}

/**
 * By score. For a request of several clauses, each place goes to the tool that adds most. The bonus for serving a clause only shrinks
 * as the list grows. The bonus of a sibling may be larger than the gap to the tool above it; it then counts only up to that tool's
 * score, so that scores never rise from one place to the next.
 */
export function orderByIntent(rated: RatedTools, options: OrderOptions): HybridRanking[] {
  const { wanted, kept } = options;
  const count = Math.min(wanted, rated.tools.length);
  const places = new OpenPlaces(rated, options);
  const ordered: HybridRanking[] = [];
  let above = Number.POSITIVE_INFINITY;
  while (ordered.length < Math.min(count, ORDERED_BY_INTENT)) {
    const best = places.best();
    const at = ordered.length === KEPT_PLACE ? places.chooseLast(best, kept) : best;
    above = Math.min(above, places.scoreOf(best));
    const parts = { intent: places.intentOf(at), sibling: places.siblingOf(at), isLifted: at !== best };
    ordered.push(new PlacedTool(rated, at, { ...parts, score: above }));
    places.take(at);
  }
  if (ordered.length < count) {
    for (const at of places.rest().subarray(0, count - ordered.length)) {
      ordered.push(new PlacedTool(rated, at, { intent: 0, sibling: 0, isLifted: false, score: places.ownScoreOf(at) }));
    }
  }
  return ordered;
}

/** The tools without a place yet, as indexes among the candidates. */
class OpenPlaces {
  readonly #rated: RatedTools;
  /** Without the bonuses for clauses and siblings. */
  readonly #scores: Float64Array;
  /** With the bonuses as last computed; never less than the current ones. */
  readonly #bounds: Float64Array;
  /** The bonus of each because a tool of its server has a place. */
  readonly #siblings: Float64Array;
  readonly #isPlaced: Uint8Array;
  /** For each clause how well each tool serves it. */
  readonly #shares: readonly Float64Array[];
  /** For each clause, how well the placed tools serve it. */
  readonly #served: Float64Array;
  readonly #intentWeight: number;
  readonly #siblingWeight: number;

  constructor(rated: RatedTools, { intentWeight, fillerFit, siblingWeight }: OrderOptions) {
    const { tools, bonuses, bases, clauses } = rated;
    const columns = new Columns(3 + clauses.length, tools.length);
    this.#rated = rated;
    this.#scores = columns.next();
    this.#siblings = columns.next();
    for (let at = 0; at < tools.length; at += 1) this.#scores[at] = (bonuses[at] as number) + (bases[at] as number);
    this.#bounds = columns.next().fill(Number.POSITIVE_INFINITY);
    this.#isPlaced = new Uint8Array(tools.length);
    this.#shares = intentWeight === 0 ? [] : clauses.map((fits) => writeShares(fits, fillerFit, columns.next()));
    this.#served = new Float64Array(this.#shares.length);
    this.#intentWeight = intentWeight;
    this.#siblingWeight = clauses.length === 0 ? 0 : siblingWeight;
  }

  /** The tool that adds most; among equals, the one with the better score, then the first. */
  best(): number {
    const scores = this.#scores;
    const bounds = this.#bounds;
    const isPlaced = this.#isPlaced;
    let [best, bestScore] = [0, Number.NEGATIVE_INFINITY];
    for (let at = 0; at < scores.length; at += 1) {
      if (isPlaced[at] === 1 || (bounds[at] as number) < bestScore) continue;
      const own = scores[at] as number;
      const score = this.scoreOf(at);
      bounds[at] = score;
      if (score > bestScore || (score === bestScore && own > (scores[best] as number))) {
        best = at;
        bestScore = score;
      }
    }
    return best;
  }

  /** The reserved tool, unless it already has a place or would displace a tool that the query names. */
  chooseLast(best: number, kept: number | undefined): number {
    if (kept === undefined || this.#isPlaced[kept] === 1 || (this.#rated.bonuses[best] as number) > 0) return best;
    return kept;
  }

  scoreOf(at: number): number {
    return (this.#scores[at] as number) + (this.#siblings[at] as number) + this.intentOf(at);
  }

  /** Without the bonuses for clauses and siblings. */
  ownScoreOf(at: number): number {
    return this.#scores[at] as number;
  }

  siblingOf(at: number): number {
    return this.#siblings[at] as number;
  }

  /** A tool's bonus for the clauses that it serves better than the placed tools. */
  intentOf(at: number): number {
    const shares = this.#shares;
    const served = this.#served;
    let gain = 0;
    for (let clause = 0; clause < shares.length; clause += 1) {
      gain += Math.max(0, ((shares[clause] as Float64Array)[at] as number) - (served[clause] as number));
    }
    return this.#intentWeight * gain;
  }

  take(at: number): void {
    this.#isPlaced[at] = 1;
    for (const [clause, shares] of this.#shares.entries()) {
      this.#served[clause] = Math.max(this.#served[clause] as number, shares[at] as number);
    }
    if (this.#siblingWeight > 0 && this.#siblings[at] === 0) this.#favourServer(at);
  }

  /** Once for each server: with its first tool that has a place. */
  #favourServer(first: number): void {
    const { servers, closeness } = this.#rated;
    const favour = this.#siblingWeight * (closeness[first] as number);
    if (favour === 0) return;
    for (let at = 0; at < servers.length; at += 1) {
      if (servers[at] !== servers[first]) continue;
      this.#siblings[at] = favour;
      this.#bounds[at] = Number.POSITIVE_INFINITY;
    }
  }

  /** All remaining tools, by score. */
  rest(): Uint32Array {
    const scores = this.#scores;
    return Uint32Array.from(scores.keys())
      .filter((at) => this.#isPlaced[at] === 0)
      .sort((left, right) => (scores[right] as number) - (scores[left] as number) || left - right);
  }
}

/**
 * How well each tool serves a clause, relative to the tool that serves it best. If even the best one hardly serves the clause, the
 * clause is filler and its bonus is reduced accordingly.
 */
function writeShares(fits: Float64Array, fillerFit: number, shares: Float64Array): Float64Array {
  let best = Number.MIN_VALUE;
  for (let at = 0; at < fits.length; at += 1) best = Math.max(best, fits[at] as number);
  const claim = Math.min(1, Math.max(0, (best - fillerFit) / (CLAIMING_FIT - fillerFit)));
  for (let at = 0; at < shares.length; at += 1) shares[at] = ((fits[at] as number) * claim) / best;
  return shares;
}

interface Place {
  readonly intent: number;
  readonly sibling: number;
  /** Whether the rest of the score is due to a reserved place. */
  readonly isLifted: boolean;
  /** The bonus as a sibling counts only up to this; never less than the tool's own score with its clauses. */
  readonly score: number;
}

/** A class, so that V8 keeps its hidden class. For an object literal of numbers it would drop it, and the optimized code with it. */
class PlacedTool implements HybridRanking {
  readonly tool: number;
  readonly score: number;
  readonly bonus: number;
  readonly base: number;
  readonly intent: number;
  readonly sibling: number;
  readonly lift: number;
  readonly #rated: RatedTools;
  readonly #at: number;

  constructor(rated: RatedTools, at: number, { intent, sibling, isLifted, score }: Place) {
    this.tool = rated.tools[at] as number;
    this.bonus = rated.bonuses[at] as number;
    this.base = rated.bases[at] as number;
    this.intent = intent;
    this.score = score;
    const rest = score - (this.bonus + this.base + intent);
    this.sibling = isLifted ? Math.min(sibling, rest) : rest;
    this.lift = rest - this.sibling;
    this.#rated = rated;
    this.#at = at;
  }

  /** Created on demand: only an explanation needs them. */
  get features(): HybridFeatures {
    return mapFeatures((name) => this.#rated.features[name][this.#at] as number);
  }
}

/** The best fit from which a clause gets its full bonus. */
const CLAIMING_FIT = 5;
/** The last place of an answer of five, counted from 0. */
const KEPT_PLACE = 4;
/** As many as the longest answer; later tools are ordered by their features alone. */
const ORDERED_BY_INTENT = 50;

interface Parts<Item> {
  readonly tool: (item: Item) => Tool;
  /** Whether the request asks for the tool by its name; such a tool keeps its place. */
  readonly isNamed: (item: Item) => boolean;
  /** Moves an item to the place of another, which then follows it. */
  readonly before: (item: Item, other: Item) => Item;
}

/**
 * Moves a tool before the deprecated one that it replaces: if the deprecated one names it, or if it says that it replaces the other.
 * Both must be in the list and belong to one server.
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

/** An entry in an answer, and its near-duplicates with the same name. */
export interface Folded<Item> {
  readonly item: Item;
  readonly also: readonly Item[];
}

/** From this cosine on, two tools with the same name are the same tool from two servers. */
const SAME = 0.95;

/**
 * Folds near-duplicates into the best of them, so that an answer of five is not one tool five times. The others are named with it and
 * can still be loaded.
 */
export function foldDuplicates<Item>(
  items: readonly Item[],
  limit: number,
  of: { readonly tool: (item: Item) => Tool; readonly position: (item: Item) => number; readonly vectors: VectorIndex },
): Folded<Item>[] {
  const folded: { item: Item; also: Item[]; key: string }[] = [];
  for (const item of items) {
    const key = nameKey(of.tool(item).name);
    const same = folded.find((other) => {
      return other.key === key && between(of.vectors, of.position(other.item), of.position(item)) >= SAME;
    });
    if (same !== undefined) same.also.push(item);
    else if (folded.length < limit) folded.push({ item, also: [], key });
    else break;
  }
  return folded.map(({ item, also }) => ({ item, also }));
}

/** The cosine of two indexed vectors. */
function between({ components, dimensions, scales }: VectorIndex, left: number, right: number): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i += 1) {
    sum += (components[left * dimensions + i] as number) * (components[right * dimensions + i] as number);
  }
  return sum * (scales[left] as number) * (scales[right] as number);
}
