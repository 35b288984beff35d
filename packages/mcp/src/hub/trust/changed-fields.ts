import type { Tool } from '@quartermaster/core';
import type { DefinitionChange } from './compare-pins.ts';

/** One part of a changed definition, as a person reads it. `null` means nothing. */
export interface ChangedField {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What changed in a definition, for the person who decides about it. Characters that can't be seen are spelled out, and what is left
 * out of a long text is said.
 */
export function changedFields({ before, after, fields, isNew }: DefinitionChange): readonly ChangedField[] {
  // The definition as a whole says nothing that its fields don't, unless nothing else differs.
  const named = fields.filter((field) => field !== 'definition');
  const shown = isNew === true ? NEW_FIELDS : named.length === 0 ? fields : named;
  return shown.map((field) => {
    const [was, is] = [isNew === true ? null : textOf(before, field), textOf(after, field)];
    // A change far inside a long text must not look like none.
    const from = Math.max(0, firstDifference(was ?? '', is ?? '') - CHARACTERS_BEFORE);
    return { field, before: was === null ? null : excerpt(was, from), after: is === null ? null : excerpt(is, from) };
  });
}

type Field = DefinitionChange['fields'][number];

/** What there is to see of a tool that was never accepted. */
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
/** What is shown of the text before the first difference, in a long one. */
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
    text.slice(start, start + MOST_CHARACTERS).replace(UNSEEN, spell),
    rest > 0 ? `\n[… ${rest} more characters, not shown]` : '',
  ].join('');
}

/** Formatting and private characters, and variation selectors, which can carry a text of their own. */
const UNSEEN = /[\p{Cf}\p{Co}]|\p{Variation_Selector}/gu;

function spell(unseen: string): string {
  return `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`;
}
