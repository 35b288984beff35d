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

/** What is told of a tool, its name always among it. */
type Match = Readonly<Record<string, unknown>> & { readonly name: string };

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

function line(tool: Tool): { description?: string } {
  const text = firstSentence(tool.description, LINE_LENGTH);
  return text === '' ? {} : { description: text };
}

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
  whole: ({ name, tool }: Named): Match => ({ name, description: tool.description, parameters: tool.schema }),
  definition: ({ name, tool }: Named): Match => ({ description: tool.description, name, parameters: tool.schema }),
};

/** With examples of its input, where the tool's owner gave some. */
function withExamples(level: Level): Level {
  return (one) => {
    const examples = tellingExamples(one.tool.extras.examples);
    return examples.length === 0 ? level(one) : { ...level(one), examples };
  };
}

const NAME = [LEVELS.name];
const SIGNATURE = [LEVELS.signature, LEVELS.name];
/** Answers to `tool_describe`, and to a search where there is none. */
export const FULL: readonly Level[] = [withExamples(LEVELS.full), LEVELS.full, LEVELS.signature, LEVELS.name];
const STUB = [withExamples(LEVELS.parameters), LEVELS.parameters, LEVELS.signature, LEVELS.name];
/** Definitions as Anthropic writes them. */
export const DEFINITION: readonly Level[] = [LEVELS.definition, LEVELS.line, LEVELS.name];
const CUT_STUB = [
  withExamples(LEVELS.whole),
  LEVELS.whole,
  LEVELS.full,
  LEVELS.parameters,
  LEVELS.signature,
  LEVELS.name,
];
