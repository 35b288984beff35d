import { type Tool, tellingExamples } from '../catalog/index.ts';
import { cutText, firstSentence } from './first-sentence.ts';
import type { Memory } from './memory.ts';
import type { DeferPlan } from './plan.ts';
import { signature } from './signature.ts';

/** A tool and the name that the model sees. */
export interface Named {
  readonly name: string;
  readonly tool: Tool;
}

/** What is told of a tool: a line that starts with its name, or fields with its name among them. */
type Match = string | MatchFields;
type MatchFields = Readonly<Record<string, unknown>> & { readonly name: string };

/** How much is told of a match. */
export type Level = (one: Named) => Match;

/** What may be told of a tool, fullest first: the first that fits the budget counts. */
export type LevelsOf = (one: Named) => readonly Level[];

/** The longest line about a tool, or about a server that is down. */
export const LINE_LENGTH = 160;
const DESCRIPTION_LENGTH = 1_000;

/**
 * An appended or native definition needs nothing but its name in the answer, which then outlives edits of the catalog; a stub
 * has shown the description; a bridge has `tool_describe` for the schema. A schema that an earlier answer has told is not told
 * again: a signature stands for it.
 */
export function levelsFor(plan: DeferPlan, before: Memory): LevelsOf {
  if (plan.form.reveal !== 'answer') return () => NAME;
  const hasDescribe = plan.own.some((own) => own.role === 'describe');
  if (plan.form.hidden !== 'stub' && hasDescribe) return () => SIGNATURE;
  const told = new Set(before.revealed);
  return ({ name }) => {
    if (told.has(name)) return SIGNATURE;
    if (plan.form.hidden !== 'stub') return FULL;
    return isShownWhole(plan, name) ? STUB : CUT_STUB;
  };
}

/** Whether a stub has told the description already. A tool that came after the plan was made has none. */
function isShownWhole(plan: DeferPlan, name: string): boolean {
  return plan.deferred.has(name) && !(plan.cut?.has(name) ?? false);
}

/** What a line starts with. A name with other characters in it stands in fields, so that no line is read as another tool's. */
export const LINE_NAME: RegExp = /^[^\s(:]+/;

function fitsLine(name: string): boolean {
  return LINE_NAME.exec(name)?.[0] === name;
}

function line(tool: Tool): { description?: string } {
  const text = firstSentence(tool.description, LINE_LENGTH);
  return text === '' ? {} : { description: text };
}

/** Whatever needs no schema is a line: it costs fewer tokens than fields (docs/decisions/2026-11-16-matches-as-lines.md). */
const LINES = {
  name: ({ name }: Named): Match => (fitsLine(name) ? name : { name }),
  signature: ({ name, tool }: Named): Match => {
    const { description } = line(tool);
    if (!fitsLine(name)) return { name, signature: signature(tool.schema), ...line(tool) };
    return `${name}${signature(tool.schema)}${description === undefined ? '' : `: ${description}`}`;
  },
};

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

/** With examples of its input, where the tool's owner gave some. */
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
