import type { Tool } from '../../catalog/index.ts';
import { NAME_BONUS } from '../bm25/index.ts';
import { parseQuery } from '../query/read-request.ts';
import { explained, type Hit } from '../searcher.ts';
import type { UseBonus } from './learned-uses.ts';

/** How many hits are considered for reordering. */
export const ORDERED_BY_USE = 20;

type Bonuses = ReadonlyMap<string, UseBonus>;

interface Placed {
  readonly hit: Hit;
  /** Score and bonus. */
  readonly points: number;
  /** Undefined for a tool that was never called. */
  readonly bonus: UseBonus | undefined;
}

/** Options of `orderByUse`. */
export interface OrderByUseOptions {
  /** How many are given. */
  readonly limit: number;
  /** What was asked, with its operators. @default a request without operators */
  readonly query?: string;
  /** The tool of an id, where the caller may see it. */
  readonly find: (id: string) => Tool | undefined;
}

/**
 * Reorders the tools that were called before among themselves: together they keep the same places. One of them passes tools that were
 * never called only if almost the same was asked before, so calls after other requests cost those tools nothing. Each place keeps its
 * score, so scores still fall. In an answer of five or more, the last place goes to the tool that was mostly called together with one
 * above it, unless the query names the tool in that place or limits the answer with an operator.
 */
export function orderByUse(
  hits: readonly Hit[],
  bonuses: Bonuses,
  { limit, query = '', find }: OrderByUseOptions,
): readonly Hit[] {
  const shown = placeByUse(hits, bonuses).slice(0, limit);
  const last = shown[Math.max(shown.length, FEWEST_SHOWN) - 1];
  const isAskedFor = last === undefined || isNamed(last) || parseQuery(query).operators.length > 0;
  return isAskedFor ? shown : withCompanion(shown, bonuses, find);
}

function placeByUse(hits: readonly Hit[], bonuses: Bonuses): readonly Hit[] {
  const placed = hits.map((hit): Placed => {
    const shown = usedFirst(hit, bonuses);
    const bonus = bonuses.get(shown.tool.id);
    return { hit: shown, points: hit.score + (bonus?.points ?? 0), bonus };
  });
  const used = placed.filter(({ bonus }) => bonus !== undefined).sort((left, right) => right.points - left.points);
  const ordered: Placed[] = [];
  for (const each of placed) {
    const next = each.bonus === undefined ? each : (used.shift() ?? each);
    let place = ordered.length;
    while (next.bonus?.isAskedAlike === true && passes(next, ordered[place - 1])) place -= 1;
    ordered.splice(place, 0, next);
  }
  return ordered.map(({ hit, bonus }, place) => {
    const { score } = hits[place] as Hit;
    return score === hit.score || bonus === undefined ? { ...hit, score } : moved(hit, score, bonus);
  });
}

/** A task often needs a tool that its request doesn't mention: a sign-in, a search for an id. */
function withCompanion(shown: readonly Hit[], bonuses: Bonuses, find: OrderByUseOptions['find']): readonly Hit[] {
  const above = shown.slice(0, -1);
  const companions = above.flatMap(({ tool }) => bonuses.get(tool.id)?.companion ?? []);
  const found = companions
    .filter((companion) =>
      shown.every(({ tool, also = [] }) => [tool, ...also].every(({ id }) => id !== companion.tool)),
    )
    .sort((left, right) => right.share - left.share)
    .flatMap((companion) => find(companion.tool) ?? [])[0];
  return found === undefined ? shown : [...above, asCompanion(found, shown.at(-1) as Hit)];
}

function asCompanion(tool: Tool, { score, explanation }: Hit): Hit {
  if (explanation === undefined) return { tool, score };
  return { tool, score, explanation: explained(score, CALLED_ALONG) };
}

/** Why a tool is in an answer that no word of the request has found. */
export const CALLED_ALONG = 'often called together with a tool above it';

/** Why a tool has moved up. */
export const CALLED_BEFORE = 'called after requests like this one';

/** No score by words and meaning comes near that of an exact name. */
function isNamed({ score }: Hit): boolean {
  return score > NAME_BONUS / 2;
}

/** In a shorter answer, every place is needed for the request itself. */
const FEWEST_SHOWN = 5;

function passes({ points }: Placed, above: Placed | undefined): boolean {
  return above !== undefined && above.bonus === undefined && points > above.points;
}

/** Of near-duplicates from several servers, the one that is called most represents them. */
function usedFirst(hit: Hit, bonuses: Bonuses): Hit {
  const { tool, also = [] } = hit;
  if (isNamed(hit)) return hit;
  const most = (one: Tool): number => bonuses.get(one.id)?.points ?? 0;
  const best = also.reduce((first, other) => (most(other) > most(first) ? other : first), tool);
  if (best === tool) return hit;
  return { ...hit, tool: best, also: [tool, ...also.filter((other) => other !== best)] };
}

function moved(hit: Hit, score: number, { points }: UseBonus): Hit {
  const { explanation } = hit;
  if (explanation === undefined) return { ...hit, score };
  const learned = explained(points, CALLED_BEFORE);
  return { ...hit, score, explanation: explained(score, 'place by use', [explanation, learned]) };
}
