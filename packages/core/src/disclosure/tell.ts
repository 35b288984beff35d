import type { Snapshot, Tool } from '../catalog/index.ts';
import { cutText, firstSentence } from './first-sentence.ts';
import type { Found, FoundByName, FoundBySearch, SearchFailure } from './found.ts';
import { type GuardLimits, guardSearch } from './loop-guard.ts';
import type { Memory } from './memory.ts';
import { nearestSources } from './nearest-sources.ts';
import type { DeferPlan } from './plan.ts';
import { signature } from './signature.ts';
import { utf8Length } from './utf8-length.ts';

export interface TellQuestion {
  readonly plan: DeferPlan;
  /** The catalog as it is now. */
  readonly snapshot: Snapshot;
  readonly found: Found;
  readonly before: Memory;
  readonly guard?: GuardLimits | undefined;
  readonly budget?: AnswerBudget | undefined;
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

/** How long answers may be, in bytes of UTF-8, and what they may load. */
export interface AnswerBudget {
  /** A search's answer. @default 8_000 */
  readonly searchBytes?: number;
  /** A description's answer. @default 32_000 */
  readonly describeBytes?: number;
  /** The definitions that one search adds to the list, where the form does so. The best match is loaded whatever it costs. @default 2_000 */
  readonly loadTokens?: number;
}

export const ANSWER_DEFAULTS: Required<AnswerBudget> = {
  searchBytes: 8_000,
  describeBytes: 32_000,
  loadTokens: 2_000,
};

const LINE_LENGTH = 160;
const DESCRIPTION_LENGTH = 1_000;
const ECHO_LENGTH = 80;

/** The text of an answer: JSON, compact first, within its budget, a pure function of what it is given. */
export function tell(question: TellQuestion): string {
  switch (question.found.kind) {
    case 'search':
      return tellSearch(question, question.found);
    case 'describe':
      return tellDescription(question, question.found);
    case 'failure':
      return tellFailure(question.found);
  }
}

function tellSearch(question: TellQuestion, found: FoundBySearch): string {
  const { plan, before } = question;
  const tools = found.names.flatMap((name) => named(question, name));
  if (plan.form.search === 'client') return tellFunctions(question, tools);
  const guard = guardSearch(before, found.queries, question.guard);
  if (guard.kind === 'stop') return JSON.stringify({ matches: [], hint: guard.text });
  const { searchBytes } = { ...ANSWER_DEFAULTS, ...question.budget };
  const { kept, left } = fill(tools, levelsFor(plan), searchBytes);
  const hints = [
    ...(tools.length === 0 ? [missHint(question, found)] : []),
    ...(guard.kind === 'hint' ? [guard.text] : []),
  ];
  const matches = kept.map((told) => withDuplicates(told, found));
  return writeList('matches', matches, {
    ...(left > 0 ? { more: left } : {}),
    ...(hints.length > 0 ? { hint: hints.join(' ') } : {}),
    ...(found.unavailable === undefined || found.unavailable.length === 0 ? {} : { unavailable: unavailable(found) }),
  });
}

interface Named {
  readonly name: string;
  readonly tool: Tool;
}

/** What is told of a tool, its name always among it. */
type Match = Readonly<Record<string, unknown>> & { readonly name: string };

/** How much is told of a match: the first that fits the budget counts. */
type Level = (one: Named) => Match;

const LEVELS = {
  name: ({ name }: Named): Match => ({ name }),
  line: ({ name, tool }: Named): Match => ({ name, ...line(tool) }),
  signature: ({ name, tool }: Named): Match => ({ name, signature: signature(tool.schema), ...line(tool) }),
  parameters: ({ name, tool }: Named): Match => ({ name, parameters: tool.schema }),
  full: ({ name, tool }: Named): Match => ({
    name,
    ...(tool.description === '' ? {} : { description: cutText(tool.description, DESCRIPTION_LENGTH) }),
    parameters: tool.schema,
  }),
  definition: ({ name, tool }: Named): Match => ({ description: tool.description, name, parameters: tool.schema }),
};

/**
 * An appended or native definition needs nothing but its name in the answer, which then outlives edits of the catalog; a stub
 * has shown the description; a bridge has `tool_describe` for the schema.
 */
function levelsFor(plan: DeferPlan): readonly Level[] {
  if (plan.form.reveal !== 'answer') return [LEVELS.name];
  if (plan.form.hidden === 'stub') return [LEVELS.parameters, LEVELS.signature, LEVELS.name];
  const hasDescribe = plan.own.some((own) => own.role === 'describe');
  return hasDescribe ? [LEVELS.signature, LEVELS.name] : [LEVELS.full, LEVELS.signature, LEVELS.name];
}

function line(tool: Tool): { description?: string } {
  const text = firstSentence(tool.description, LINE_LENGTH);
  return text === '' ? {} : { description: text };
}

/** Tells each tool as fully as what is left of the budget allows. What does not fit even by name is counted. */
function fill(tools: readonly Named[], levels: readonly Level[], budgetBytes: number): { kept: Told[]; left: number } {
  const kept: Told[] = [];
  let rest = budgetBytes;
  for (const tool of tools) {
    const fitting = firstFitting(tool, levels, rest);
    if (fitting === undefined) break;
    rest -= fitting.bytes;
    kept.push(fitting);
  }
  return { kept, left: tools.length - kept.length };
}

function firstFitting(tool: Named, levels: readonly Level[], rest: number): Told | undefined {
  for (const level of levels) {
    const told = tellAt(level, tool);
    if (told.bytes <= rest) return told;
  }
  return undefined;
}

/** A match as JSON, and how long that is. */
interface Told {
  readonly name: string;
  readonly json: string;
  readonly bytes: number;
}

const toldByLevel = new WeakMap<Level, WeakMap<Tool, Told>>();

/** Written once for each tool: every request tells all answers of its history again. */
function tellAt(level: Level, one: Named): Told {
  const told = toldByLevel.get(level) ?? new WeakMap<Tool, Told>();
  toldByLevel.set(level, told);
  const known = told.get(one.tool);
  if (known?.name === one.name) return known;
  const json = JSON.stringify(level(one));
  const written = { name: one.name, json, bytes: utf8Length(json) };
  told.set(one.tool, written);
  return written;
}

function withDuplicates({ name, json }: Told, found: FoundBySearch): string {
  const also = (found.also ?? []).filter((duplicate) => duplicate.of === name).map((duplicate) => duplicate.name);
  return also.length === 0 ? json : `${json.slice(0, -1)},"also":${JSON.stringify(also.slice(0, 5))}}`;
}

/** An object as JSON, with a list of what is JSON already before the other fields. */
function writeList(key: string, items: readonly string[], rest: object): string {
  const fields = JSON.stringify(rest).slice(1, -1);
  return `{"${key}":[${items.join(',')}]${fields === '' ? '' : `,${fields}`}}`;
}

/** Says that nothing fits, where the nearest tools are, and how to ask again. */
function missHint(question: TellQuestion, found: FoundBySearch): string {
  const sources = nearestSources({ snapshot: question.snapshot, queries: found.queries, allow: question.allow });
  const asked = found.queries.map((query) => JSON.stringify(cutText(query, ECHO_LENGTH))).slice(0, 3);
  const nearest = sources.length === 0 ? '' : ` Nearest sources: ${sources.join(', ')}.`;
  return `No tool fits ${asked.join(', ')}.${nearest} Ask again with other words, one capability at a time, or with a source's name.`;
}

function unavailable(found: FoundBySearch): readonly unknown[] {
  return (found.unavailable ?? [])
    .slice(0, 10)
    .map(({ server, reason }) => ({ server: cutText(server, ECHO_LENGTH), reason: cutText(reason, LINE_LENGTH) }));
}

function tellDescription(question: TellQuestion, found: FoundByName): string {
  const { describeBytes } = { ...ANSWER_DEFAULTS, ...question.budget };
  const tools = found.names.flatMap((name) => named(question, name));
  const known = new Set(tools.map(({ name }) => name));
  const unknown = found.names.filter((name) => !known.has(name));
  const { kept, left } = fill(tools, [LEVELS.full, LEVELS.signature, LEVELS.name], describeBytes);
  const single = kept[0];
  if (single !== undefined && found.names.length === 1) return single.json;
  const matches = kept.map((told) => told.json);
  return writeList('tools', matches, {
    ...(left > 0 ? { more: left } : {}),
    ...(unknown.length > 0 ? { unknown: unknown.slice(0, 20).map((name) => cutText(name, ECHO_LENGTH)) } : {}),
  });
}

function tellFailure(found: SearchFailure): string {
  return JSON.stringify({ error: found.code, message: cutText(found.message, 500) });
}

/** What Claude Code promises its model for references: one definition to a line. */
function tellFunctions(question: TellQuestion, tools: readonly Named[]): string {
  if (tools.length === 0) return 'No matching deferred tools found';
  const { describeBytes } = { ...ANSWER_DEFAULTS, ...question.budget };
  const { kept } = fill(tools, [LEVELS.definition, LEVELS.line, LEVELS.name], describeBytes);
  const lines = kept.map(({ json }) => `<function>${json}</function>`);
  return `<functions>\n${lines.join('\n')}\n</functions>`;
}

/** Names in a history may be of tools that are gone or out of the caller's reach: they are left out alike. */
function named(question: TellQuestion, name: string): readonly Named[] {
  const tool = question.snapshot.resolve(name);
  if (tool === undefined || (question.allow !== undefined && !question.allow(tool))) return [];
  return [{ name: question.snapshot.modelName(tool), tool }];
}
