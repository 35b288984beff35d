import type { Tool } from '@quartermaster/core';
import type { DefinitionChange } from './compare-pins.ts';
import { spellCharacter } from './find-suspicions.ts';

/** One part of a changed definition, for a person to read. `null` means that it is absent. */
export interface ChangedField {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What changed in a definition, for the person who decides about it. Invisible characters are spelled out, and cuts in long texts
 * are marked.
 */
export function changedFields({ before, after, fields, isNew }: DefinitionChange): readonly ChangedField[] {
  // The whole definition adds nothing to its fields, unless nothing else differs.
  const named = fields.filter((field) => field !== 'definition');
  const shown = isNew === true ? NEW_FIELDS : named.length === 0 ? fields : named;
  return shown.map((field) => {
    const [was, is] = [isNew === true ? null : textOf(before, field), textOf(after, field)];
    // A change deep inside a long text must not go unnoticed.
    const from = Math.max(0, firstDifference(was ?? '', is ?? '') - CHARACTERS_BEFORE);
    return { field, before: was === null ? null : excerpt(was, from), after: is === null ? null : excerpt(is, from) };
  });
}

type Field = DefinitionChange['fields'][number];

/** What to show of a tool that was never accepted. */
const NEW_FIELDS: readonly Field[] = ['description', 'schema'];

function textOf(tool: Tool, field: Field): string | null {
  switch (field) {
    case 'description':
      return tool.description;
    case 'schema':
    case 'policy':
      return JSON.stringify(tool[field], undefined, 2);
    case 'definition':
      return JSON.stringify(tool.extras, undefined, 2);
    default: {
      const value = tool.extras[field];
      return value === undefined ? null : JSON.stringify(value, undefined, 2);
    }
  }
}

/** A definition can be megabytes long. */
const MOST_CHARACTERS = 20_000;
/** How much of a long text is shown before the first difference. */
const CHARACTERS_BEFORE = 2_000;

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

function excerpt(text: string, from: number): string {
  const start = text.length <= MOST_CHARACTERS ? 0 : Math.min(from, text.length);
  const rest = text.length - start - MOST_CHARACTERS;
  return [
    start > 0 ? `[… ${start} characters that are the same]\n` : '',
    text.slice(start, start + MOST_CHARACTERS).replace(UNSEEN, spellCharacter),
    rest > 0 ? `\n[… ${rest} more characters, not shown]` : '',
  ].join('');
}

/** Formatting and private-use characters, and variation selectors, which can carry hidden text. */
const UNSEEN = /[\p{Cf}\p{Co}]|\p{Variation_Selector}/gu;
