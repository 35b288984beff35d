import type { Snapshot, Tool } from '../../../catalog/index.ts';
import { createNameDirectory, findNames, findOneName, type NameSource } from '../../query/find-names.ts';
import {
  type ParsedQuery,
  parseQuery,
  type QueryOperator,
  removeFiller,
  removeOperators,
  unresolvedOperators,
} from '../../query/read-request.ts';
import { nameKey } from '../../text/characters.ts';
import { TokenKind, tokenize } from '../../text/tokenize.ts';
import { type Bm25Index, NO_LIST } from '../index/bm25-index.ts';
import { denseImpacts, foldedDifferences, isDense } from '../index/posting-list.ts';
import { findSubstrings } from './find-substrings.ts';
import { combineScore, FeatureReader, type MatchFeatures, MOST_READ, scaleSum } from './match-features.ts';
import { type PlannedList, planQuery, type QueryPlan } from './plan-query.ts';
import { SimilarTerms } from './similar-terms.ts';
import { BestTools, type RankedTools, ToolSums } from './tool-sums.ts';

/** An entry of the ranking for one query, with the parts of its score. */
export type Ranking =
  /** Named by the query. Its score is `bonus` more than its terms give. */
  | { readonly kind: 'name'; readonly tool: number; readonly score: number; readonly bonus: number }
  | TermsRanking
  /** No word of the query is in the catalog, but this name contains it. */
  | { readonly kind: 'substring'; readonly tool: number; readonly score: number };

/** One query's answer. */
export interface QueryRanking {
  /** The text that was searched for: without operators that apply, and without filler. Empty for `select:`. */
  readonly text: string;
  readonly plan: QueryPlan;
  /** The tools that the operators and the caller allow; undefined for all. */
  readonly accept: Accept;
  /** Best first. */
  readonly rankings: readonly Ranking[];
  /** Operators that were applied. */
  readonly applied: readonly QueryOperator[];
  /** Those that were not, as written. */
  readonly unresolved: readonly string[];
  /** Whether the query was `select:` with names that exist. */
  readonly isSelection: boolean;
}

/** Ranks a named tool before any other; no sum of terms reaches this. */
export const NAME_BONUS = 1_000_000;

type Accept = ((tool: number) => boolean) | undefined;

/** How many of the best tools by terms are weighed by name and bigrams, and how many of those are ranked. */
interface Depth {
  readonly count: number;
  readonly wanted: number;
}

/** Ranks the tools of a snapshot for one query at a time. */
export class QueryRanker {
  readonly index: Bm25Index;
  readonly #tools: readonly Tool[];
  readonly #names: NameSource;
  readonly #ranker: ToolRanker;
  readonly #features: FeatureReader;
  readonly #similar: SimilarTerms;

  constructor(snapshot: Snapshot, index: Bm25Index) {
    this.index = index;
    this.#tools = snapshot.tools;
    this.#names = createNameDirectory(snapshot, index);
    this.#ranker = new ToolRanker(index);
    this.#features = new FeatureReader(index);
    this.#similar = new SimilarTerms(index);
  }

  /** Bytes of the index and of its workspace, as far as they exist. */
  get byteLength(): number {
    // The bits of name keys are created at the first lookup of a name.
    const nameKeys = this.index.terms.size >>> 3;
    return this.index.byteLength + nameKeys + this.#ranker.byteLength + this.#similar.byteLength;
  }

  /** The best accepted tools for a query, up to `count`. */
  rank(query: string, accept: Accept, count: number = POOL_SIZE): QueryRanking {
    return this.#rank(query, accept, { count, wanted: count });
  }

  /** The first entries of {@link rank}, which takes less reading. */
  rankBest(query: string, accept: Accept, wanted: number): QueryRanking {
    return this.#rank(query, accept, { count: POOL_SIZE, wanted });
  }

  #rank(query: string, accept: Accept, depth: Depth): QueryRanking {
    const parsed = parseQuery(query);
    const selected = this.#select(parsed, accept);
    if (selected.length > 0) {
      const plan = this.plan('');
      const rankings = this.#rankNames(selected, plan);
      return { text: '', plan, accept, rankings, applied: [], unresolved: [], isSelection: true };
    }
    const applied = parsed.operators.filter((operator) => this.#resolves(operator, accept));
    const whole = this.#textOf(parsed, applied);
    const text = removeFiller(whole);
    const narrowed = this.#narrow(applied, accept);
    const plan = this.plan(text);
    const named = plan.hasWords
      ? findNames(whole, this.#names).filter((tool) => narrowed?.(tool) !== false)
      : this.#literalNames(whole, narrowed);
    const wanted = depth.wanted + named.length;
    const found = this.#rankTerms(text, plan, narrowed, { count: depth.count, wanted });
    const isNamed = new Set(named);
    const rankings = [...this.#rankNames(named, plan), ...found.filter(({ tool }) => !isNamed.has(tool))];
    const unresolved = unresolvedOperators(parsed, applied);
    return { text, plan, accept: narrowed, rankings, applied, unresolved, isSelection: false };
  }

  plan(text: string): QueryPlan {
    return planQuery(this.index, this.#similar, text);
  }

  /** The features of a tool for a query, in the pool or not. */
  features(plan: QueryPlan, tool: number): MatchFeatures {
    return this.#features.read(plan, tool);
  }

  /** The sum of a tool's terms, in units of {@link scaleSum}. */
  sumTerms(plan: QueryPlan, tool: number): number {
    let sum = 0;
    for (const planned of plan.lists) sum += planned.weight * this.index.impact(planned.list, tool);
    return sum;
  }

  /** Whether a tool has every word of an operator, or belongs to its server. The operator is read once for many tools. */
  test(operator: QueryOperator): (tool: number) => boolean {
    if (operator.kind === 'server') {
      const key = nameKey(operator.value);
      return (tool) => nameKey(this.#tools[tool]?.server ?? '') === key;
    }
    const lists = this.#requiredLists(operator.value);
    return (tool) => lists.every((list) => this.index.hasTool(list, tool));
  }

  #select(parsed: ParsedQuery, accept: Accept): number[] {
    const found = parsed.select.flatMap((name) => findOneName(name, this.#names));
    return [...new Set(found)].filter((tool) => accept?.(tool) !== false);
  }

  /** An operator applies only if some visible tool satisfies it. */
  #resolves(operator: QueryOperator, accept: Accept): boolean {
    if (operator.kind === 'server') {
      const isOf = this.test(operator);
      return (
        this.#names.hasServer(nameKey(operator.value)) &&
        this.#tools.some((_, tool) => isOf(tool) && accept?.(tool) !== false)
      );
    }
    const [first, ...others] = this.#requiredLists(operator.value);
    if (first === undefined || first === NO_LIST || others.includes(NO_LIST)) return false;
    return this.index
      .readList(first)
      .some(({ tool }) => others.every((list) => this.index.hasTool(list, tool)) && accept?.(tool) !== false);
  }

  /** The lists that a tool must be in to contain a required word. */
  #requiredLists(word: string): number[] {
    return tokenize(word)
      .filter((token) => token.kind === TokenKind.word)
      .map((token) => this.index.stemListOf(token.text));
  }

  /** With a server and nothing else, the server's own name is searched for. */
  #textOf(parsed: ParsedQuery, applied: readonly QueryOperator[]): string {
    const text = removeOperators(parsed.text, applied);
    const server = applied.find((operator) => operator.kind === 'server');
    return server !== undefined && nameKey(text) === '' ? server.value : text;
  }

  #narrow(applied: readonly QueryOperator[], accept: Accept): Accept {
    if (applied.length === 0) return accept;
    const tests = applied.map((operator) => this.test(operator));
    // Cached, since every clause of a request examines all tools.
    const answers = new Int8Array(this.#tools.length);
    return (tool) => {
      if (answers[tool] === 0) answers[tool] = tests.every((test) => test(tool)) && accept?.(tool) !== false ? 1 : -1;
      return answers[tool] === 1;
    };
  }

  /** A tool whose name has no letters or digits is found only by that name. */
  #literalNames(text: string, accept: Accept): number[] {
    const name = text.trim();
    const position = name === '' ? -1 : this.#tools.findIndex((tool) => tool.name === name);
    return position >= 0 && accept?.(position) !== false ? [position] : [];
  }

  #rankNames(named: readonly number[], plan: QueryPlan): Ranking[] {
    return named.map((tool, place) => {
      const bonus = NAME_BONUS * (named.length - place);
      const score = bonus + combineScore(this.index, this.sumTerms(plan, tool), this.#features.read(plan, tool));
      return { kind: 'name', tool, score, bonus };
    });
  }

  #rankTerms(text: string, plan: QueryPlan, accept: Accept, { count, wanted }: Depth): Ranking[] {
    if (!plan.hasWords) return [];
    const ranked = this.#ranker.rank(plan.lists, { count, isOrdered: count > POOL_SIZE, accept });
    if (!plan.hasKnownWord || ranked.size === 0) {
      const found = findSubstrings(text, this.index, { accept, count });
      if (found.length > 0) return found.map(({ tool, share }) => ({ kind: 'substring', tool, score: share }));
    }
    return rerank({ reader: this.#features, plan, ranked, wanted });
  }
}

/** A tool ranked by its terms. */
export interface TermsRanking {
  readonly kind: 'terms';
  readonly tool: number;
  readonly score: number;
  /** The sum of its terms, in units of {@link scaleSum}. */
  readonly sum: number;
  /** Undefined below {@link POOL_SIZE}, where only the terms count. */
  readonly features?: MatchFeatures;
}

/** How many of the best by their terms are weighed by name coverage and bigrams too. More than any limit. */
const POOL_SIZE: number = MOST_READ;

/** Weighs the best tools by terms by name and bigrams, and returns the requested number, best first. */
function rerank(of: {
  readonly reader: FeatureReader;
  readonly plan: QueryPlan;
  /** In any order if there are no more than {@link POOL_SIZE}, else by their sums, greatest first. */
  readonly ranked: RankedTools;
  readonly wanted: number;
}): TermsRanking[] {
  const { reader, plan, ranked, wanted } = of;
  const { tools, sums } = ranked;
  const size = Math.min(ranked.size, POOL_SIZE);
  reader.readMany(plan, tools, size);
  reader.scoreMany(sums, size, scores);
  const best: TermsRanking[] = [];
  const count = orderPlaces(tools, size, Math.min(wanted, size));
  for (let at = 0; at < count; at += 1) {
    const place = order[at] ?? 0;
    const score = scores[place] ?? 0;
    best.push({ kind: 'terms', tool: tools[place] ?? 0, score, sum: sums[place] ?? 0, features: reader.at(place) });
  }
  for (let place = size; place < ranked.size && best.length < wanted; place += 1) {
    const sum = sums[place] ?? 0;
    best.push({ kind: 'terms', tool: tools[place] ?? 0, score: scaleSum(sum), sum });
  }
  return best;
}

/** Writes the indexes of the best of the first `size` tools to `order`, best first, ties in catalog order. Returns their number. */
function orderPlaces(tools: Uint32Array, size: number, wanted: number): number {
  let count = 0;
  for (let place = 0; place < size; place += 1) {
    if (count === wanted && !isBefore(tools, place, order[count - 1] ?? 0)) continue;
    count = Math.min(count + 1, wanted);
    let at = count - 1;
    for (; at > 0 && isBefore(tools, place, order[at - 1] ?? 0); at -= 1) order[at] = order[at - 1] ?? 0;
    order[at] = place;
  }
  return count;
}

function isBefore(tools: Uint32Array, left: number, right: number): boolean {
  const difference = (scores[left] ?? 0) - (scores[right] ?? 0);
  return difference > 0 || (difference === 0 && (tools[left] ?? 0) < (tools[right] ?? 0));
}

/** The scores of the tools that are weighed, and the indexes of the best. */
const scores = new Float64Array(POOL_SIZE);
const order = new Uint8Array(POOL_SIZE);

/** Adds up postings list by list and keeps the best tools. */
export class ToolRanker {
  readonly #index: Bm25Index;
  /** All 0 between calls. */
  readonly #sums: ToolSums;
  readonly #best: BestTools = new BestTools();
  /** The tools that are examined. */
  readonly #tools: Uint32Array;

  constructor(index: Bm25Index) {
    this.#index = index;
    this.#sums = new ToolSums(index.toolCount);
    this.#tools = new Uint32Array(index.toolCount);
  }

  /** Bytes of its arrays. */
  get byteLength(): number {
    return this.#sums.byteLength + this.#best.byteLength + this.#tools.byteLength;
  }

  /** The best tools, best first if an order is requested; among equal sums, the first in the catalog. */
  rank(
    lists: readonly PlannedList[],
    { count, isOrdered, accept }: { readonly count: number; readonly isOrdered: boolean; readonly accept?: Accept },
  ): RankedTools {
    const reads = planReads(this.#index, lists);
    for (const read of reads) this.#add(read);
    const most = reads.reduce((sum, { bound }) => sum + bound, 0);
    const summed = { sums: this.#sums.sums, tools: this.#tools, size: this.#find(count, most, accept), most };
    const ranked = isOrdered ? this.#best.rank(summed, count) : this.#best.choose(summed, count);
    this.#sums.clear();
    return ranked;
  }

  #add({ list, length, weight, folded, foldedWeight }: ListRead): void {
    const { postings, listStarts } = this.#index.data;
    const start = listStarts[list] ?? 0;
    if (folded !== NO_LIST && this.#index.differenceCount(folded) > 0) {
      // The list that it is folded into is too high by these differences.
      const differences = foldedDifferences(postings, listStarts[folded] ?? 0);
      this.#sums.addPlain({ postings, start: differences, end: listStarts[folded + 1] ?? 0, weight: -foldedWeight });
    }
    if (isDense(length, this.#index.toolCount)) {
      this.#sums.addDense(postings, denseImpacts(postings, start), weight);
    } else {
      this.#sums.addPlain({ postings, start, end: listStarts[list + 1] ?? 0, weight });
    }
  }

  /** Takes the best accepted tools. If there are too few, more tools are examined, repeatedly. Returns their number. */
  #find(count: number, most: number, accept: Accept): number {
    const tools = this.#tools;
    for (let wanted = count; ; wanted *= MORE) {
      const bar = this.#sums.findBar(wanted, most);
      const found = this.#sums.collect(bar, tools);
      if (accept === undefined) return found;
      let size = 0;
      for (let at = 0; at < found; at += 1) {
        const tool = tools[at] ?? 0;
        if (accept(tool)) tools[size++] = tool;
      }
      if (size >= count || bar === 1) return size;
    }
  }
}

/** By which factor more are examined each time. */
const MORE = 4;

/** One pass over a list's postings, for all planned lists that use them: the list itself and one folded into it. */
interface ListRead {
  readonly list: number;
  readonly length: number;
  /** The factor of its impacts: the weights of all planned lists. */
  weight: number;
  /** The planned list that is folded into it, or {@link NO_LIST}. */
  folded: number;
  /** The factor of the folded list's differences, which are subtracted. */
  foldedWeight: number;
  /** The maximum that it can add. */
  bound: number;
}

/** How planned lists are read: each set of postings once. */
function planReads(index: Bm25Index, lists: readonly PlannedList[]): ListRead[] {
  const reads = new Map<number, ListRead>();
  for (const { list: planned, weight } of lists) {
    const list = index.unfoldedList(planned);
    let read = reads.get(list);
    if (read === undefined) {
      read = { list, length: index.listLength(list), weight: 0, folded: NO_LIST, foldedWeight: 0, bound: 0 };
      reads.set(list, read);
    }
    read.weight += weight;
    read.bound += weight * index.listPeak(planned);
    if (list !== planned) {
      read.folded = planned;
      read.foldedWeight = weight;
    }
  }
  return [...reads.values()];
}
