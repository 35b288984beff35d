import type { DefinitionChange } from '@quartermaster/mcp';
import { oneLine, type Terminal } from '../terminal/index.ts';

type Tool = DefinitionChange['before'];

/** Long enough to see what was added to a description, which is where people should look. */
const MOST_CHARACTERS = 2_000;

/** A changed definition for people: what it was, what it is, field by field. Characters that can't be seen are spelled out. */
export function renderChange({ tool, before, after, fields }: DefinitionChange, { paint }: Terminal): string {
  // The definition as a whole says nothing that its fields don't, unless nothing else differs.
  const named = fields.filter((field) => field !== 'definition');
  const lines = (named.length === 0 ? fields : named).flatMap((field) => [
    `  ${field}`,
    `  - ${visible(textOf(before, field))}`,
    `  + ${visible(textOf(after, field))}`,
  ]);
  return [paint.bold(oneLine(tool, MOST_CHARACTERS)), ...lines].join('\n');
}

function textOf(tool: Tool, field: DefinitionChange['fields'][number]): string {
  switch (field) {
    case 'description':
      return tool.description;
    case 'schema':
    case 'policy':
      return JSON.stringify(tool[field]);
    case 'definition':
      return JSON.stringify(tool.extras);
    default:
      return JSON.stringify(tool.extras[field]) ?? 'nothing';
  }
}

function visible(text: string): string {
  const spelled = text.replace(/[\p{Cf}\p{Co}]/gu, (unseen) => `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`);
  return oneLine(spelled, MOST_CHARACTERS);
}
