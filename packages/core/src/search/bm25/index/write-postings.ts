import { TokenKind } from '../../text/tokenize.ts';
import { BM25_FIELDS, type Bm25Settings } from '../bm25-options.ts';
import { type Bm25IndexData, IMPACT_SCALE } from './bm25-index.ts';
import type { Stems } from './build-bm25-index.ts';
import { type KnownLists, mergeLists } from './merge-lists.ts';
import { type LooseLists, type PackedLists, packLists } from './pack-lists.ts';
import { gapBytes, headBytes, writeGap } from './posting-list.ts';
import { type ReadTools, unitsBefore } from './read-tools.ts';
import { scratchBuffer, scratchUint8, scratchUint32 } from './scratch-array.ts';
import { TWO_UNITS } from './token-store.ts';

interface Postings extends PackedLists {
  /** How many tools each list contains. */
  readonly listLengths: Uint32Array;
}

/** The statistics and options for weighing. */
type Weighing = Pick<Bm25IndexData, 'averageLengths' | 'settings'>;

/**
 * Weighs every term of every tool (BM25F's sum over the fields, saturated and rounded) and writes it to its lists.
 * Postings of tools that another index has are taken from there.
 */
export function* writePostings(
  read: ReadTools,
  stems: Stems,
  weighing: Weighing & { readonly known?: KnownLists | undefined },
): Generator<void, Postings> {
  const { known } = weighing;
  const added = yield* weighTools(read, stems, { ...weighing, spans: spansOf(read, known) });
  yield;
  const loose = known === undefined ? added : yield* mergeLists(added, known);
  yield;
  return { ...(yield* packLists(loose, stems)), listLengths: loose.lengths };
}

/** Reads the tokens of some tools twice, first to measure the lists, so that each posting is written once to its final position. */
function* weighTools(
  read: ReadTools,
  stems: Stems,
  { spans, ...weighing }: Weighing & { readonly spans: readonly ToolSpan[] },
): Generator<void, LooseLists> {
  const { listCount } = stems;
  const lists = openLists(stems);
  const { records } = lists;
  yield* stepThroughTools(read, spans, (run) => measureSome(read, records, run));
  yield;
  const { starts, lengths } = placeLists(records, listCount);
  yield;
  const postings = scratchUint8(starts[listCount] ?? 0);
  const weigher = createWeigher(weighing, { ...lists, postings, mostUnits: mostUnits(read) });
  yield* stepThroughTools(read, spans, (run) => weighSome(read, weigher, run));
  return { postings, starts, lengths, toolCount: read.toolCount };
}

/** Puts the lists one after the other, and their records back to the first tool. */
function placeLists(records: Uint32Array, listCount: number): Pick<LooseLists, 'starts' | 'lengths'> {
  const starts = scratchUint32(listCount + 1);
  const lengths = scratchUint32(listCount);
  let end = 0;
  for (let list = 0; list < listCount; list += 1) {
    const record = list * RECORD_SIZE;
    const length = records[record + LENGTH] ?? 0;
    const first = end + headBytes(length);
    starts[list] = end;
    lengths[list] = length;
    end = first + (records[record + PLACE] ?? 0);
    records[record + PLACE] = first;
    records[record + NEXT] = 0;
  }
  starts[listCount] = end;
  return { starts, lengths };
}

/**
 * The state of each list while tools are read, in one cache line: the list of a token is usually far
 * from that of the previous one.
 */
interface OpenLists {
  readonly records: Uint32Array;
  /** The same memory: at the start of a list's record, the weight of its term in the current tool. */
  readonly weights: Float64Array;
}

/** In units of 32 bits; a power of two, so that no record lies in two cache lines. */
const RECORD_SIZE = 8;
const WEIGHT_STEP = RECORD_SIZE / 2;
/** The tool after the last one that is in the list. Before it in the record is the weight. */
const NEXT = 2;
/** While measuring, the bytes of its postings; while weighing, where its next posting goes. */
const PLACE = 3;
/** While measuring, how many postings it has. */
const LENGTH = 4;
/** Of a term whose stem has a list of its own, that list; 0 of any other. */
const STEM = 5;

function openLists({ stemLists, termCount, listCount }: Stems): OpenLists {
  const buffer = scratchBuffer(listCount * RECORD_SIZE * 4);
  const records = new Uint32Array(buffer);
  for (let term = 0; term < termCount; term += 1) {
    const stem = stemLists[term] ?? 0;
    if (stem >= termCount && stem < listCount) records[term * RECORD_SIZE + STEM] = stem;
  }
  return { records, weights: new Float64Array(buffer) };
}

/** Some tools that follow each other. */
interface ToolSpan {
  readonly first: number;
  /** The tool after the last. */
  readonly end: number;
}

/** The tools that are not known from another index. */
function spansOf({ toolCount }: ReadTools, known: KnownLists | undefined): readonly ToolSpan[] {
  const spans: ToolSpan[] = [];
  let first = 0;
  for (const position of known?.positions ?? []) {
    if (position === 0) continue;
    if (position - 1 > first) spans.push({ first, end: position - 1 });
    first = position;
  }
  if (first < toolCount) spans.push({ first, end: toolCount });
  return spans;
}

interface ToolRun extends ToolSpan {
  /** Where the units of the first start. */
  readonly start: number;
}

/** In runs of about as many units each, however long the tools' texts are. */
function* stepThroughTools(
  read: ReadTools,
  spans: readonly ToolSpan[],
  work: (run: ToolRun) => void,
): Generator<void, void> {
  for (const span of spans) {
    for (let { first } = span; first < span.end; ) {
      const run = runFrom(read, { first, end: span.end });
      work(run);
      first = run.end;
      yield;
    }
  }
}

function runFrom(read: ReadTools, { first, end: last }: ToolSpan): ToolRun {
  const start = unitsBefore(read, first);
  let end = first + 1;
  while (end < last && unitsBefore(read, end) < start + UNITS_PER_STEP) end += 1;
  return { first, end, start };
}

/** How many units the tool with most of them has. */
function mostUnits(read: ReadTools): number {
  let most = 0;
  for (let tool = 0; tool < read.toolCount; tool += 1) {
    most = Math.max(most, unitsBefore(read, tool + 1) - unitsBefore(read, tool));
  }
  return most;
}

function measureSome(read: ReadTools, records: Uint32Array, run: ToolRun): void {
  const { units } = read.store;
  let at = run.start;
  for (let tool = run.first; tool < run.end; tool += 1) {
    const end = unitsBefore(read, tool + 1);
    while (at < end) {
      let token = units[at++] ?? 0;
      if (token >= TWO_UNITS) token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
      const term = token >>> 2;
      if (!measurePosting(records, term, tool)) continue;
      const stemList = records[term * RECORD_SIZE + STEM] ?? 0;
      if (stemList > 0) measurePosting(records, stemList, tool);
    }
  }
}

/** @returns whether the tool was not in the list so far. */
function measurePosting(records: Uint32Array, list: number, tool: number): boolean {
  const record = list * RECORD_SIZE;
  const before = records[record + NEXT] ?? 0;
  if (before > tool) return false;
  records[record + NEXT] = tool + 1;
  records[record + PLACE] = (records[record + PLACE] ?? 0) + gapBytes(tool - before) + 1;
  records[record + LENGTH] = (records[record + LENGTH] ?? 0) + 1;
  return true;
}

/** The state of weighing, from tool to tool. */
interface Weigher extends OpenLists {
  readonly settings: Bm25Settings;
  readonly fieldWeights: FieldWeights;
  readonly postings: Uint8Array;
  /** The lists of the current tool. */
  readonly met: Uint32Array;
}

function createWeigher(
  { settings, averageLengths }: Weighing,
  { mostUnits, ...lists }: OpenLists & { readonly postings: Uint8Array; readonly mostUnits: number },
): Weigher {
  // Each token adds its term's list and possibly its stem's.
  const met = new Uint32Array(mostUnits * 2);
  return { ...lists, settings, fieldWeights: new FieldWeights(settings, averageLengths), met };
}

function weighSome(read: ReadTools, weigher: Weigher, run: ToolRun): void {
  const { units } = read.store;
  const { fieldEnds, fieldLengths } = read;
  const { records, weights, postings, fieldWeights, met } = weigher;
  const { k1, wholeWeight } = weigher.settings;
  let at = run.start;
  let entry = run.first * FIELD_COUNT;
  for (let tool = run.first; tool < run.end; tool += 1) {
    let count = 0;
    for (let field = 0; field < FIELD_COUNT; field += 1, entry += 1) {
      const word = fieldWeights.of(field, fieldLengths[entry] ?? 0);
      const whole = word * wholeWeight;
      const end = fieldEnds[entry] ?? 0;
      while (at < end) {
        let token = units[at++] ?? 0;
        if (token >= TWO_UNITS) token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
        const term = token >>> 2;
        const before = weights[term * WEIGHT_STEP] ?? 0;
        if (before === 0) met[count++] = term;
        weights[term * WEIGHT_STEP] = before + ((token & 3) === TokenKind.whole ? whole : word);
      }
    }
    const exactCount = count;
    for (let index = 0; index < exactCount; index += 1) {
      const term = met[index] ?? 0;
      const stemList = records[term * RECORD_SIZE + STEM] ?? 0;
      if (stemList > 0) {
        const before = weights[stemList * WEIGHT_STEP] ?? 0;
        if (before === 0) met[count++] = stemList;
        weights[stemList * WEIGHT_STEP] = before + (weights[term * WEIGHT_STEP] ?? 0);
      }
    }
    for (let index = 0; index < count; index += 1) {
      const list = met[index] ?? 0;
      const record = list * RECORD_SIZE;
      const place = writeGap(postings, records[record + PLACE] ?? 0, tool - (records[record + NEXT] ?? 0));
      postings[place] = roundImpact(weights[list * WEIGHT_STEP] ?? 0, k1);
      records[record + PLACE] = place + 1;
      records[record + NEXT] = tool + 1;
      weights[list * WEIGHT_STEP] = 0;
    }
  }
}

/** A step ends with the tool that reaches this. */
const UNITS_PER_STEP = 8_192;
const FIELD_COUNT = BM25_FIELDS.length;

/** The weight of one occurrence in a field of this length. A weight of 0 is kept above 0, so that the term still matches. */
export function fieldWeight(settings: Bm25Settings, averages: Float64Array, field: number, length: number): number {
  const name = BM25_FIELDS[field] ?? 'name';
  const b = settings.lengthWeights[name];
  return Math.max(SMALLEST_WEIGHT, settings.fieldWeights[name]) / (1 - b + (b * length) / (averages[field] ?? 1));
}

/** {@link fieldWeight} for many tools: a weight is computed when first needed, because most fields are short. */
class FieldWeights {
  readonly #settings: Bm25Settings;
  readonly #averages: Float64Array;
  /** By field and length; 0 if it has not been computed. */
  readonly #known: Float64Array = new Float64Array(BM25_FIELDS.length * KNOWN_LENGTHS);

  constructor(settings: Bm25Settings, averages: Float64Array) {
    this.#settings = settings;
    this.#averages = averages;
  }

  of(field: number, length: number): number {
    if (length >= KNOWN_LENGTHS) return fieldWeight(this.#settings, this.#averages, field, length);
    const place = field * KNOWN_LENGTHS + length;
    const known = this.#known[place] ?? 0;
    if (known !== 0) return known;
    const weight = fieldWeight(this.#settings, this.#averages, field, length);
    this.#known[place] = weight;
    return weight;
  }
}

/** The impact of a summed weight: never 0, so that a match always scores. */
function roundImpact(weight: number, k1: number): number {
  // In integers: this runs for each posting, and `Math.round`, `min` and `max` of doubles take longer than the division.
  const impact = ((weight / (weight + k1)) * IMPACT_SCALE + 0.5) | 0;
  if (impact < 1) return 1;
  return impact < IMPACT_SCALE ? impact : IMPACT_SCALE - 1;
}

const SMALLEST_WEIGHT = 1e-9;
const KNOWN_LENGTHS = 256;
