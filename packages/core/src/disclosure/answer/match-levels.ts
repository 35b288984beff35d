import { addToList } from '../../add-to-list.ts';
import { isJsonObject, type Snapshot, type Tool } from '../../catalog/index.ts';
import { tellingExamples } from '../../catalog/internal.ts';
import { memoized } from '../../memoized.ts';
import type { Memory } from '../memory.ts';
import { ownTool } from '../plan/make-plan.ts';
import type { DeferPlan } from '../plan/plan.ts';
import { cutText, firstSentence, oneLine, sentenceAfter, signature } from '../text/shorten-text.ts';

/** A tool and the name that the model sees. */
export interface Named {
  readonly name: string;
  readonly tool: Tool;
}

/** How a tool is shown: a line that starts with its name, or fields that include its name. */
type Match = string | MatchFields;
type MatchFields = Readonly<Record<string, unknown>> & { readonly name: string };

/** How much of a match is shown. */
export type Level = (one: Named) => Match;

/** How a tool may be shown, fullest first: the first that fits the budget counts. */
export type LevelsOf = (one: Named) => readonly Level[];

/** The longest line about a tool, or about a server that is down. */
export const LINE_LENGTH = 160;
const DESCRIPTION_LENGTH = 1_000;

/**
 * An appended or native definition needs only its name in the answer, which then outlives edits of the catalog; a stub
 * has shown the description; a bridge has `tool_describe` for the schema. A schema that an earlier answer has shown is not
 * repeated: a signature replaces it.
 */
export function levelsFor(plan: DeferPlan, before: Memory): LevelsOf {
  if (plan.form.reveal !== 'answer') return () => NAME;
  if (plan.form.hidden !== 'stub' && ownTool(plan, 'describe') !== undefined) return () => SIGNATURE;
  const told = new Set(before.revealed);
  return ({ name }) => {
    if (told.has(name)) return SIGNATURE;
    if (plan.form.hidden !== 'stub') return FULL;
    return isShownWhole(plan, name) ? STUB : CUT_STUB;
  };
}

/** Whether a stub has already shown the description. A tool that was added after the plan was made has none. */
function isShownWhole(plan: DeferPlan, name: string): boolean {
  return plan.deferred.has(name) && !(plan.cut?.has(name) ?? false);
}

/** The start of a line. A name with other characters goes into fields, so that no line can be read as another tool's. */
export const LINE_NAME: RegExp = /^[^\s(:]+/;

function fitsLine(name: string): boolean {
  return LINE_NAME.exec(name)?.[0] === name;
}

function line(tool: Tool): { description?: string } {
  const text = firstSentence(tool.description, LINE_LENGTH);
  return text === '' ? {} : { description: text };
}

/** Anything without a schema is a line: it costs fewer tokens than fields (docs/decisions/2026-11-16-matches-as-lines.md). */
const LINES = {
  name: ({ name }: Named): Match => (fitsLine(name) ? name : { name }),
  signature: ({ name, tool }: Named): Match => {
    if (!fitsLine(name)) return { name, signature: signature(tool.schema), ...line(tool) };
    return `${name}${signature(tool.schema)}${sentenceAfter(tool.description, LINE_LENGTH)}`;
  },
};

/** A match as a bridge's answer shows it. */
export function matchLine(one: Named): string {
  const match = LINES.signature(one);
  return typeof match === 'string' ? match : JSON.stringify(match);
}

const FIELDS = {
  name: ({ name }: Named): MatchFields => ({ name }),
  description: ({ name, tool }: Named): MatchFields => ({ name, ...line(tool) }),
  parameters: ({ name, tool }: Named): MatchFields => ({ name, parameters: tool.schema }),
  full: ({ name, tool }: Named): MatchFields => ({
    name,
    ...(tool.description === '' ? {} : { description: cutText(tool.description, DESCRIPTION_LENGTH) }),
    parameters: tool.schema,
  }),
  whole: ({ name, tool }: Named): MatchFields => ({ name, description: tool.description, parameters: tool.schema }),
  definition: ({ name, tool }: Named): MatchFields => ({
    description: tool.description,
    name,
    parameters: tool.schema,
  }),
};

/** With example inputs, if the tool's owner provided some. */
function withExamples(level: (one: Named) => MatchFields): Level {
  return (one) => {
    const examples = tellingExamples(one.tool.extras.examples);
    return examples.length === 0 ? level(one) : { ...level(one), examples };
  };
}

const NAME = [LINES.name];
const SIGNATURE = [LINES.signature, LINES.name];
/** One tool, described. */
export const DESCRIPTION: readonly Level[] = [withExamples(FIELDS.full), FIELDS.full];
/** Answers to `tool_describe` with several names, and to a search where there is no `tool_describe`. */
export const FULL: readonly Level[] = [...DESCRIPTION, ...SIGNATURE];
const STUB = [withExamples(FIELDS.parameters), FIELDS.parameters, ...SIGNATURE];
/** Definitions as Anthropic writes them. */
export const DEFINITION: readonly Level[] = [FIELDS.definition, FIELDS.description, FIELDS.name];
const CUT_STUB = [withExamples(FIELDS.whole), FIELDS.whole, FIELDS.full, FIELDS.parameters, ...SIGNATURE];

interface Filling {
  readonly levelsOf: LevelsOf;
  readonly budgetBytes: number;
  /** The additional size of each list entry. */
  readonly besides: number;
  readonly also?: (one: Named) => readonly string[];
}

/** The whole answer within the budget, unless what surrounds the list already exceeds it. */
export function fillList(
  key: string,
  tools: readonly Named[],
  options: Omit<Filling, 'besides'> & { readonly rest: object },
): string {
  const { rest, budgetBytes } = options;
  const around = utf8Length(writeList(key, [], { more: tools.length, ...rest }));
  const { kept, left } = fill(tools, { ...options, budgetBytes: budgetBytes - around, besides: COMMA_BYTES });
  const members = kept.map(({ json }) => json);
  return writeList(key, members, left > 0 ? { more: left, ...rest } : rest);
}

const COMMA_BYTES = 1;

/** Shows each tool as fully as the rest of the budget allows. What does not even fit by name is counted. */
export function fill(tools: readonly Named[], filling: Filling): { kept: ToolText[]; left: number } {
  const kept: ToolText[] = [];
  let rest = filling.budgetBytes;
  for (const tool of tools) {
    const also = filling.also?.(tool) ?? [];
    const besides = filling.besides + (also.length === 0 ? 0 : utf8Length(alsoField(also)));
    const fitting = firstFitting(tool, filling.levelsOf(tool), rest - besides);
    if (fitting === undefined) break;
    rest -= fitting.bytes + besides;
    kept.push(also.length === 0 ? fitting : { ...fitting, json: withDuplicates(fitting.json, also) });
  }
  return { kept, left: tools.length - kept.length };
}

export function firstFitting(tool: Named, levels: readonly Level[], rest: number): ToolText | undefined {
  for (const level of levels) {
    const told = tellAt(level, tool);
    if (told.bytes <= rest) return told;
  }
  return undefined;
}

/** A match as JSON, and its length. */
interface ToolText {
  readonly name: string;
  readonly json: string;
  readonly bytes: number;
}

const toldAt = memoized((_: Level) => new WeakMap<Tool, ToolText>());

/** Rendered once for each tool: every request repeats all answers of its history. */
function tellAt(level: Level, one: Named): ToolText {
  const told = toldAt(level);
  const known = told.get(one.tool);
  if (known?.name === one.name) return known;
  const json = JSON.stringify(level(one));
  const written = { name: one.name, json, bytes: utf8Length(json) };
  told.set(one.tool, written);
  return written;
}

/** A match with its near-duplicates, in the format of the match. */
function withDuplicates(json: string, names: readonly string[]): string {
  const before = json.slice(0, -1);
  return json.startsWith('"') ? `${before}${alsoText(names)}"` : `${before}${alsoField(names)}}`;
}

function alsoText(names: readonly string[]): string {
  return JSON.stringify(` (also: ${names.join(', ')})`).slice(1, -1);
}

/** An upper bound of the text's length. */
function alsoField(names: readonly string[]): string {
  return `,"also":${JSON.stringify(names)}`;
}

/** An object as JSON, with a list that is already JSON before the other fields. */
function writeList(key: string, items: readonly string[], rest: object): string {
  const fields = JSON.stringify(rest).slice(1, -1);
  return `{"${key}":[${items.join(',')}]${fields === '' ? '' : `,${fields}`}}`;
}

/** A few words that distinguish similar matches: by name, for those that need it. */
type Differences = Readonly<Record<string, string>>;

/**
 * Models confuse tools that look alike, so each of these is shown with what is unique to it: its server, the words of its name and its
 * first sentence that the others lack, and its own parameters. Made from the catalog and the matches only: a replay has nothing else.
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

/** Computed once: every request repeats all answers of its history. */
const traitsOf = memoized((tool: Tool): Traits => {
  const { properties } = tool.schema;
  const { server: source = '' } = tool;
  const server = new Set(wordsOf(source));
  const words = wordsOf(tool.name);
  const bare = words.filter((word) => !server.has(word));
  return {
    server: oneLine(source, LONGEST),
    words: bare.length === 0 ? words : bare,
    sentence: wordsOf(tool.description.slice(0, READ_CHARACTERS)),
    parameters: isJsonObject(properties) ? Object.keys(properties).slice(0, MOST_PARAMETERS) : [],
  };
});

/** Half of the words in their names are the same, or all but the first, which is usually the verb: `get_issue`, `list_issues`. */
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

/**
 * The other tools with a tool's name and description: the same one at another server, for example if one service is connected for
 * two accounts. Made from the catalog only, because a replay has nothing else.
 */
export function sameTools(snapshot: Snapshot, tool: Tool): readonly Tool[] {
  return (twinsIn(snapshot).get(tool) ?? []).filter((other) => other !== tool);
}

/** Two passes, so that only names which occur twice cost more than a lookup. */
const twinsIn = memoized(({ tools }: Snapshot): ReadonlyMap<Tool, readonly Tool[]> => {
  const byName = new Map<string, Tool[]>();
  for (const tool of tools) addToList(byName, tool.name, tool);
  const twins = new Map<Tool, readonly Tool[]>();
  for (const namesakes of byName.values()) {
    if (namesakes.length === 1) continue;
    const byDescription = new Map<string, Tool[]>();
    for (const tool of namesakes) twins.set(tool, addToList(byDescription, tool.description, tool));
  }
  return twins;
});

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
