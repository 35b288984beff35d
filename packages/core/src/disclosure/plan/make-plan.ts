import type { JsonSchema, Snapshot, Tool } from '../../catalog/index.ts';
import { defined } from '../../catalog/internal.ts';
import { countEach } from '../../count-each.ts';
import { memoized } from '../../memoized.ts';
import { visitInSteps } from '../../slices.ts';
import type { Memory } from '../memory.ts';
import { cutText, oneLine, sentenceAfter, sentenceEnds, signature } from '../text/shorten-text.ts';
import { FORMS, type Form } from './form.ts';
import { type Listing, makeListing } from './listing.ts';
import { ownTools } from './own-tools.ts';
import {
  bareDefinition,
  type DeferPlan,
  type Definition,
  type InlinePlan,
  type Own,
  type Plan,
  type PlanEngine,
  type SecondSearch,
  type Shown,
  type View,
} from './plan.ts';

/** Our tool of a role, the first if there are two; undefined if the plan has none. */
export function ownTool(plan: Plan, role: Own['role']): Own | undefined {
  return plan.kind === 'inline' ? undefined : plan.own.find((own) => own.role === role);
}

/** Our tool of this name; undefined if the name is another tool's. */
export function ownNamed(plan: Plan, name: string | undefined): Own | undefined {
  return plan.kind === 'inline' ? undefined : plan.own.find((own) => own.name === name);
}

export interface PlanQuestion {
  readonly snapshot: Snapshot;
  /** The tools that the caller may see, in catalog order. */
  readonly tools: readonly Tool[];
  /** Why, in a sentence. */
  readonly reason: string;
  /** What a definition costs. */
  readonly toolTokens: (tool: Tool) => number;
}

export interface DeferQuestion extends PlanQuestion {
  readonly form: Form;
  /** Ids. */
  readonly deferred: ReadonlySet<string>;
  readonly countTokens: (text: string) => number;
  /** @default text */
  readonly engine?: PlanEngine | undefined;
  /** @default true */
  readonly describe?: boolean | undefined;
  /** @default tool_search */
  readonly searchName?: string | undefined;
  /** @default none */
  readonly secondSearch?: SecondSearch | undefined;
  /** The budget of the listing, 0 for none. Its bytes change with what is deferred, and with them a cached prefix. @default 0 */
  readonly listingTokens?: number | undefined;
  /** The longest description that a stub shows whole, in characters; `Infinity` for no limit. @default 280 */
  readonly stubDescriptionLength?: number | undefined;
  /**
   * Whether search can return a tool. If not, it keeps its stub; a form that omits deferred tools shows it in full, because
   * it could not be reached otherwise.
   * @default every tool
   */
  readonly isSearchable?: ((tool: Tool) => boolean) | undefined;
}

/**
 * The small open object in place of a deferred tool's parameters. One value for all, so that it takes no memory. With
 * `properties`, because OpenAI rejects an object without them ("object schema missing properties").
 */
export const STUB_SCHEMA: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };

/** Everything in full. Yields after some tools each. */
export function* makeInlinePlan(question: PlanQuestion): Generator<void, InlinePlan> {
  const { snapshot, tools, reason, toolTokens } = question;
  const shown: Shown[] = [];
  const definitions: Definition[] = [];
  let total = 0;
  yield* visitInSteps(tools, (tool) => {
    const full = showFull(snapshot, tool);
    shown.push(full);
    definitions.push(bareDefinition(full));
    total += toolTokens(tool);
  });
  return { kind: 'inline', snapshot, shown, definitions, reason, tokens: { before: total, after: total } };
}

/** The fixed part of what is sent, with the tools deferred that the gate chose. Yields after some tools each. */
export function* makeDeferPlan(question: DeferQuestion): Generator<void, DeferPlan> {
  const { snapshot, tools, form, countTokens, engine = 'text' } = question;
  const own = ownTools({ ...question, engine });
  const definitions: Definition[] = own.map(bareDefinition);
  const deferred: Tool[] = [];
  const names = new Set<string>();
  const shown: Shown[] = [];
  const cut = new Set<string>();
  const tokens = { before: 0, after: sum(own.map((tool) => countTokens(definitionText(tool)))) };
  yield* visitInSteps(tools, (tool) => {
    tokens.before += question.toolTokens(tool);
    const isDeferred = question.deferred.has(tool.id) && canDefer(tool, question);
    if (isDeferred) {
      deferred.push(tool);
      names.add(snapshot.modelName(tool));
    }
    const one = isDeferred ? showDeferred(tool, question) : showFull(snapshot, tool);
    // Most tools of a large catalog, which need nothing else.
    if (one === undefined) return;
    shown.push(one);
    definitions.push(bareDefinition(one));
    tokens.after += contextTokens(one, question);
    if (isCut(one)) cut.add(one.name);
  });
  const listing = yield* makeListing({
    snapshot,
    tools: deferred,
    countTokens,
    // Stubs and marks already name every tool.
    budgetTokens: form.hidden === 'omit' ? (question.listingTokens ?? 0) : 0,
  });
  const note = makeNote({ form, own, listing, hasCuts: cut.size > 0 });
  if (note !== undefined) tokens.after += countTokens(note);
  return {
    kind: 'defer',
    snapshot,
    form,
    engine,
    deferred: names,
    own,
    shown,
    ...(cut.size === 0 ? {} : { cut }),
    definitions,
    ...defined({ note }),
    reason: question.reason,
    tokens,
  };
}

/** A tool as the model gets it if nothing is deferred. */
export function showFull(snapshot: Snapshot, tool: Tool): Shown {
  return { tool, name: snapshot.modelName(tool), as: 'full', description: tool.description, schema: tool.schema };
}

/** A deferred tool in full, by the name that the model sees; undefined for any other name. */
export function deferredInFull(plan: DeferPlan, name: string): Shown | undefined {
  const tool = plan.deferred.has(name) ? plan.snapshot.resolve(name) : undefined;
  return tool === undefined ? undefined : showFull(plan.snapshot, tool);
}

function canDefer(tool: Tool, question: DeferQuestion): boolean {
  return question.form.hidden !== 'omit' || (question.isSearchable?.(tool) ?? true);
}

function isCut({ as, description, tool }: Shown): boolean {
  return as === 'stub' && description !== tool.description;
}

/** Undefined for a form that leaves it out. */
function showDeferred(tool: Tool, question: DeferQuestion): Shown | undefined {
  const { snapshot, form, stubDescriptionLength = STUB_DEFAULTS.descriptionLength } = question;
  switch (form.hidden) {
    case 'omit':
      return undefined;
    case 'mark':
      return { ...showFull(snapshot, tool), as: 'mark' };
    case 'stub': {
      const description = stubDescription(tool.description, stubDescriptionLength);
      return { ...showFull(snapshot, tool), as: 'stub', description, schema: STUB_SCHEMA };
    }
  }
}

/** What the model reads of a tool before the first message. A marked definition is transferred, but is not in the context. */
function contextTokens(shown: Shown, { countTokens, toolTokens }: DeferQuestion): number {
  switch (shown.as) {
    case 'full':
      return toolTokens(shown.tool);
    case 'stub':
      return countTokens(definitionText(shown));
    case 'mark':
      return 0;
  }
}

function definitionText(tool: Definition): string {
  return JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.schema });
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

interface NoteOptions {
  readonly form: Form;
  readonly own: readonly Own[];
  readonly listing: Listing;
  /** Whether any stub's description is cut. */
  readonly hasCuts: boolean;
}

/** The text for the system prompt: search before you say that something is not possible, and what can be searched for. */
function makeNote(options: NoteOptions): string | undefined {
  const { form, own, listing } = options;
  const searches = own.filter((tool) => tool.role === 'search').map(({ name }) => name);
  const search = searches.length === 0 ? undefined : searches.join(' or ');
  if (form.search === 'client') return undefined;
  const guidance = search === undefined ? HOSTED : guide(options, search);
  return listing.text === '' ? guidance : `${guidance}\n${listing.text}`;
}

function guide({ form, hasCuts }: NoteOptions, search: string): string {
  if (form.hidden === 'stub') {
    const cuts = hasCuts ? ` It also gives the rest of a description that ends in "…".` : '';
    return `Some tools are shown without their parameters. Before you use one whose parameters you have not seen, call ${search} to load them.${cuts}`;
  }
  return `More tools are available than your list shows. When none in it fits, call ${search} before you say that something is not possible.`;
}

const HOSTED =
  'More tools are available than your list shows. When none in it fits, search for one before you say that something is not possible.';

const rewritings = memoized((_: InlinePlan): DeferPlan[] => []);

const NO_NAMES: readonly string[] = [];

/**
 * An inline plan for rendering: every tool in full, no marks and no search. A conversation may contain searches and references
 * from when tools were deferred; rendering with this plan leaves searches out and turns references into text.
 * If the client itself searches (`clients`), calls to its search are its own; otherwise those to our tools and to the search tools
 * of the protocol, by the given names, are answered.
 */
export function withoutSearch(inline: InlinePlan, searches: readonly string[] | 'clients' = NO_NAMES): DeferPlan {
  const pastSearches = searches === 'clients' ? undefined : searches;
  const plans = rewritings(inline);
  const known = plans.find((one) => one.pastSearches === pastSearches);
  if (known !== undefined) return known;
  const { snapshot, shown, definitions, reason, tokens } = inline;
  const plan: DeferPlan = {
    kind: 'defer',
    form: FORMS.client,
    engine: 'text',
    deferred: new Set(),
    own: [],
    ...defined({ pastSearches }),
    ...{ snapshot, shown, definitions, reason, tokens },
  };
  plans.push(plan);
  return plan;
}

/** What a stub shows of its tool. */
export const STUB_DEFAULTS: { readonly descriptionLength: number } = { descriptionLength: 280 };

/** Says that there is more, and that a search shows it; the plan's note explains it to the model. */
const CUT = ' …';

/**
 * A description as a stub shows it, at most `maxLength` characters. What fits is unchanged. Otherwise it is cut after its
 * last whole sentence or line, or after its last whole word if the sentences that fit fill less than half of the
 * limit; a text without either is cut between two characters.
 */
export function stubDescription(description: string, maxLength: number): string {
  if (description.length <= maxLength) return description;
  const room = Math.max(0, Math.floor(maxLength) - CUT.length);
  // One character more, so that an end can be told from the middle of a word or number.
  const head = description.slice(0, room + 1);
  const end =
    lastEnd(head, [...sentenceEnds(head), ...endsOf(head, LINE_END)]) ?? lastEnd(head, endsOf(head, WORD_END));
  const kept = end === undefined ? cutText(description, room + 1).slice(0, -1) : head.slice(0, end);
  return `${kept.trimEnd()}${CUT}`.trimStart();
}

const LINE_END = /(?=[\r\n])/gu;
const WORD_END = /(?<=\S)(?=\s)/gu;

function endsOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}

/** The last possible end that keeps at least half of the others and is not the last character. */
function lastEnd(text: string, ends: readonly number[]): number | undefined {
  const most = text.length - 1;
  const fitting = ends.filter((end) => end <= most && end >= most / 2);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

export interface ViewQuestion {
  readonly plan: Plan;
  readonly memory: Memory;
  /** The current catalog, which may be newer than the plan's. */
  readonly snapshot: Snapshot;
  /** Names found by a prefetch. */
  readonly prefetched?: readonly string[];
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

/** What is sent this time. Its cost depends on what the conversation has revealed, not on the size of the catalog. */
export function makeView(question: ViewQuestion): View {
  const { plan, memory, snapshot } = question;
  if (plan.kind === 'inline') return { plan, revealed: [] };
  const prefetched = question.prefetched ?? [];
  const names = plan.form.reveal === 'append' ? [...memory.known, ...prefetched] : memory.known;
  const revealed = reveal(names, { ...question, plan });
  const tail = [
    plan.form.reveal === 'append' ? undefined : prefetchText(plan, snapshot, prefetched),
    snapshot === plan.snapshot ? undefined : catalogChanges(plan.snapshot, snapshot, question.allow),
  ].filter((text) => text !== undefined);
  return { plan, revealed, ...(tail.length === 0 ? {} : { tail: tail.join('\n') }) };
}

/**
 * Called tools stay revealed even if the search that found them was compacted away: many providers reject a history with
 * calls to tools that are not declared. Names that are no longer in the catalog are left out.
 */
function reveal(names: readonly string[], question: ViewQuestion & { readonly plan: DeferPlan }): readonly Shown[] {
  const { plan, snapshot, allow } = question;
  const byTool = new Map<Tool, Shown>();
  for (const name of names) {
    const tool = snapshot.resolve(name);
    if (tool === undefined || byTool.has(tool) || (allow !== undefined && !allow(tool))) continue;
    const shown = showFull(snapshot, tool);
    const isNew = plan.snapshot.resolve(shown.name) === undefined;
    if (isNew || plan.deferred.has(shown.name)) byTool.set(tool, shown);
  }
  return [...byTool.values()];
}

const SENTENCE_LENGTH = 100;

/**
 * The tools found by a prefetch, for the tail of the user's message. With signatures, so that the first turn often needs no
 * search; a protocol that reveals natively still needs the search, and gets the names for it.
 */
function prefetchText(plan: DeferPlan, snapshot: Snapshot, names: readonly string[]): string | undefined {
  const lines = names.flatMap((name) => {
    const tool = snapshot.resolve(name);
    if (tool === undefined) return [];
    const parameters = plan.form.reveal === 'native' ? '' : signature(tool.schema);
    return [`- ${name}${parameters}${sentenceAfter(tool.description, SENTENCE_LENGTH)}`];
  });
  if (lines.length === 0) return undefined;
  return `[Tools that may fit this message, ${how(plan)}. Search for others.]\n${lines.join('\n')}`;
}

function how(plan: DeferPlan): string {
  const named = (role: Own['role']): string => ownTool(plan, role)?.name ?? 'search';
  if (plan.form.invoke === 'wrapped') return `callable with ${named('call')}`;
  return plan.form.reveal === 'native' ? `to be loaded with ${named('search')}` : 'callable by name';
}

const MOST_NAMED = 8;

const SERVER_NAME_LENGTH = 60;

/**
 * What was added and removed since the plan was made, in a line for the tail: servers that connect late are announced there, because
 * rewriting the listing would change the prefix. Empty if the tools are the same.
 */
function catalogChanges(
  before: Snapshot,
  after: Snapshot,
  allow: (tool: Tool) => boolean = () => true,
): string | undefined {
  const changes = changesFrom(before)(after);
  const added = changes.added.filter(allow);
  const removed = changes.removed.filter(allow);
  const parts = [
    ...(added.length > 0 ? [`New tools can be searched for: ${summary(added, after)}.`] : []),
    ...(removed.length > 0 ? [`No longer available: ${summary(removed, before)}.`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Once per pair: every round of a session asks again. */
const changesFrom = memoized((before: Snapshot) =>
  memoized((after: Snapshot) => ({
    added: after.tools.filter((tool) => before.get(tool.id) === undefined),
    removed: before.tools.filter((tool) => after.get(tool.id) === undefined),
  })),
);

/** By server with counts; tools without a server by name. */
function summary(tools: readonly Tool[], snapshot: Snapshot): string {
  const counts = countEach(tools.flatMap(({ server }) => server ?? []));
  const servers = [...counts].map(([server, count]) => `${oneLine(server, SERVER_NAME_LENGTH)} (${count})`);
  const names = tools.filter(({ server }) => server === undefined).map((tool) => snapshot.modelName(tool));
  const all = [...servers, ...names];
  const rest = all.length - MOST_NAMED;
  return `${all.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
