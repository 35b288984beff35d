import { type SearchText, searchText, type Tool } from '../../../catalog/index.ts';
import { stepThrough } from '../../../slices.ts';
import { type ChosenBase, chooseBase, type Marked } from '../../kept/keep-index.ts';
import { nameKey } from '../../text/characters.ts';
import { FUNCTION_WORDS } from '../../text/function-words.ts';
import { TokenKind } from '../../text/tokenize.ts';
import { BM25_FIELDS, type Bm25Field } from '../bm25-options.ts';
import { type Bm25Index, NO_LIST } from './bm25-index.ts';
import { scratchUint32 } from './scratch-array.ts';
import { TermTable } from './term-table.ts';
import { TokenStore, TWO_UNITS } from './token-store.ts';

/** The result of reading the tools: all tokens, where each field of each tool ends, and the key of each name. */
export interface ReadTools {
  readonly toolCount: number;
  readonly store: TokenStore;
  /** Entry `tool × fields + field` is the end of that field's units in the store. */
  readonly fieldEnds: Uint32Array;
  /** Words per field and tool, without wholes and single characters. */
  readonly fieldLengths: Uint32Array;
  readonly nameTerms: Uint32Array;
  /** The tools whose tokens come from another index; undefined if there are none, or if they have another order here. */
  readonly copied: CopiedTools | undefined;
}

/** Tools that another index has too. */
export interface CopiedTools {
  readonly index: Bm25Index;
  /** For each tool of the index, its number here plus one; 0 for one that is not here. */
  readonly positions: Uint32Array;
  /** For each term, its number in the index plus one; 0 for one that no copied tool has. */
  readonly terms: Uint32Array;
}

/** About how many terms one of a few tools adds; with many tools, most terms are shared. */
const TERMS_PER_TOOL = 64;
const TOKENS_PER_TOOL = 128;

/** A step ends after this many tools… */
const TOOLS_PER_STEP = 8;
/** …or with the tool that reaches this: a single one can have as much text as hundreds. */
const UNITS_PER_STEP = 512;

/** Reads the texts of all tools, except those that another index has. Function words get the first numbers. */
export function* readTools(tools: readonly Tool[], reuse?: TokenReuse): Generator<void, ReadTools> {
  const read: Omit<ReadTools, 'copied'> = openStore(tools.length);
  const copier = reuse === undefined ? undefined : TokenCopier.from(reuse);
  if (copier !== undefined) yield;
  yield* stepThrough(tools.length, (first) => readSome(read, { tools, copier }, first));
  return { ...read, copied: copier?.copied(read.store.terms.size) };
}

/** The tokens that an index keeps, so that another one can be built from it. */
export function keepTokens({ store, fieldEnds }: ReadTools, marks: ToolTokens['marks']): ToolTokens {
  // Copies, because the store's arrays are scratch memory.
  return { marks, units: new Uint16Array(store.units.subarray(0, store.size)), fieldEnds: new Uint32Array(fieldEnds) };
}

function openStore(toolCount: number): Omit<ReadTools, 'copied'> {
  const terms = new TermTable(undefined, FUNCTION_WORDS.length + toolCount * TERMS_PER_TOOL);
  for (const word of FUNCTION_WORDS) terms.internText(word);
  return {
    toolCount,
    store: new TokenStore(terms, toolCount * TOKENS_PER_TOOL),
    fieldEnds: scratchUint32(toolCount * FIELD_COUNT),
    fieldLengths: scratchUint32(toolCount * FIELD_COUNT),
    nameTerms: new Uint32Array(toolCount),
  };
}

interface ToolTexts {
  readonly tools: readonly Tool[];
  readonly copier: TokenCopier | undefined;
}

function readSome(read: Omit<ReadTools, 'copied'>, { tools, copier }: ToolTexts, first: number): number {
  const { store, fieldEnds, fieldLengths, nameTerms } = read;
  const end = Math.min(first + TOOLS_PER_STEP, tools.length);
  const enough = store.size + UNITS_PER_STEP;
  let entry = first * FIELD_COUNT;
  let tool = first;
  for (; tool < end && store.size < enough; tool += 1) {
    store.progress = (tool + 1) / tools.length;
    const known = copier?.find(tool) ?? -1;
    if (copier !== undefined && known >= 0) {
      for (let field = 0; field < FIELD_COUNT; field += 1, entry += 1) {
        const { words } = store;
        copier.copy(store, known * FIELD_COUNT + field);
        fieldEnds[entry] = store.size;
        fieldLengths[entry] = store.words - words;
      }
      nameTerms[tool] = copier.nameTerm(known);
      copier.note(tool, known);
      continue;
    }
    const text = searchText(tools[tool] as Tool);
    for (const field of BM25_FIELDS) {
      const { words } = store;
      if (field === 'name') {
        nameTerms[tool] = readName(store, text.name);
      } else {
        readField(store, text, field);
      }
      fieldEnds[entry] = store.size;
      fieldLengths[entry] = store.words - words;
      entry += 1;
    }
  }
  return tool;
}

function readField(store: TokenStore, text: SearchText, field: Exclude<Bm25Field, 'name'>): void {
  switch (field) {
    case 'description':
      store.add(text.description);
      return;
    case 'server':
      store.addRepeating(text.server);
      return;
    case 'parameterNames':
    case 'parameterDescriptions':
    case 'enumValues':
      for (const part of text[field]) store.addRepeating(part);
      return;
  }
}

/** Makes sure that a name's key is among its tokens, so that the key's list leads to the tool. Returns the key's term. */
function readName(store: TokenStore, name: string): number {
  const start = store.size;
  const count = store.add(name);
  // The last token of a plain identifier is the key: the whole, or its only word.
  if (PLAIN_IDENTIFIER.test(name) && (count === 1 || (count > 1 && (store.last & 3) === TokenKind.whole))) {
    return store.last >>> 2;
  }
  const key = nameKey(name);
  if (key === '') return NO_LIST;
  const term = store.terms.internText(key);
  if (!store.hasTerm(term, start)) store.addTerm(term, TokenKind.whole);
  return term;
}

/** Up to 64 characters. Two separators in a row begin another whole: `github__create_issue` has no token for all of it. */
const PLAIN_IDENTIFIER = /^(?=.{1,64}$)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;

/** Where a tool's units start in the store; for the number after the last tool, where they all end. */
export function unitsBefore(read: ReadTools, tool: number): number {
  return tool === 0 ? 0 : (read.fieldEnds[tool * FIELD_COUNT - 1] ?? 0);
}

/** Per field, its average number of words; 1 where a field is always empty. */
export function averageFieldLengths(read: ReadTools): Float64Array {
  const averages = new Float64Array(FIELD_COUNT);
  for (let entry = 0; entry < read.fieldLengths.length; entry += 1) {
    const field = entry % FIELD_COUNT;
    averages[field] = (averages[field] ?? 0) + (read.fieldLengths[entry] ?? 0);
  }
  return averages.map((sum) => sum / Math.max(1, read.toolCount) || 1);
}

const FIELD_COUNT = BM25_FIELDS.length;

/** The tokens that an index was built from. An index of mostly the same tools reuses theirs, and only reads the others. */
export interface ToolTokens extends Marked {
  /** See `TokenStore`; terms are those of the index. */
  readonly units: Uint16Array;
  /** See `ReadTools`. */
  readonly fieldEnds: Uint32Array;
}

/** The source from which a new index reuses tokens, if it can. */
export interface TokenReuse extends Marked {
  /** Indexes of other catalogs. */
  readonly others: readonly Bm25Index[];
}

interface MarkedSource extends Marked {
  readonly source: Bm25Index;
  readonly tokens: ToolTokens;
}

/** Writes the tokens of known tools to a store, with the store's numbers of their terms. */
class TokenCopier {
  readonly #chosen: ChosenBase<MarkedSource>;
  readonly #marks: Uint32Array;
  /** For each token of the source, the same token in the store plus one; 0 for one that has not occurred so far. */
  readonly #tokens: Uint32Array;
  /** See {@link CopiedTools}. */
  readonly #positions: Uint32Array;
  #latest = -1;
  #isInOrder = true;

  private constructor(chosen: ChosenBase<MarkedSource>, marks: Uint32Array) {
    const { source } = chosen.base;
    this.#chosen = chosen;
    this.#marks = marks;
    this.#tokens = scratchUint32(4 * source.terms.size);
    this.#positions = scratchUint32(source.toolCount);
  }

  /** Undefined if no other index has any of the tools. */
  static from({ marks, others }: TokenReuse): TokenCopier | undefined {
    const sources = others.flatMap((source) =>
      source.tokens === undefined ? [] : [{ source, tokens: source.tokens, marks: source.tokens.marks }],
    );
    const chosen = chooseBase(marks, sources);
    return chosen === undefined ? undefined : new TokenCopier(chosen, marks);
  }

  /** The number of a tool in the source, or -1. */
  find(tool: number): number {
    return this.#chosen.find(this.#marks[2 * tool] as number, this.#marks[2 * tool + 1] as number);
  }

  /** Copies a field, whose entry in `fieldEnds` is given. */
  copy(store: TokenStore, entry: number): void {
    const { tokens: base, source } = this.#chosen.base;
    const { units, fieldEnds } = base;
    const end = fieldEnds[entry] ?? 0;
    const map = this.#tokens;
    for (let at = entry === 0 ? 0 : (fieldEnds[entry - 1] ?? 0); at < end; ) {
      at = store.copyMapped(units, { from: at, end, map });
      if (at === end) return;
      // A token that has not occurred so far.
      let token = units[at++] ?? 0;
      if (token >= TWO_UNITS) token = ((token - TWO_UNITS) << 16) | (units[at++] ?? 0);
      store.addTerm(store.terms.internFrom(source.terms, token >>> 2), token & 3);
      map[token] = store.last + 1;
    }
  }

  /** Records that a tool of the source is here. */
  note(tool: number, known: number): void {
    this.#isInOrder &&= known > this.#latest;
    this.#latest = known;
    this.#positions[known] = tool + 1;
  }

  /** What was copied to a store with so many terms. */
  copied(termCount: number): CopiedTools | undefined {
    if (!this.#isInOrder || this.#latest < 0) return undefined;
    const terms = scratchUint32(termCount);
    for (let token = 0; token < this.#tokens.length; token += 1) {
      const copied = this.#tokens[token] ?? 0;
      if (copied > 0) terms[(copied - 1) >>> 2] = (token >>> 2) + 1;
    }
    return { index: this.#chosen.base.source, positions: this.#positions, terms };
  }

  /** The key of a copied tool's name. It is one of the tool's tokens, which are in the store. */
  nameTerm(known: number): number {
    const term = this.#chosen.base.source.data.nameTerms[known] ?? NO_LIST;
    for (let token = 4 * term; token < 4 * term + 4; token += 1) {
      const copied = this.#tokens[token] ?? 0;
      if (copied > 0) return (copied - 1) >>> 2;
    }
    return NO_LIST;
  }
}
