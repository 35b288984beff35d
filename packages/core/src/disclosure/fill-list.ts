import type { Tool } from '../catalog/index.ts';
import type { Level, LevelsOf, Named } from './match-levels.ts';
import { utf8Length } from './utf8-length.ts';

export interface Filling {
  readonly levelsOf: LevelsOf;
  readonly budgetBytes: number;
  /** What else the list costs for each of its members. */
  readonly besides: number;
  readonly also?: (one: Named) => readonly string[];
}

/** The whole answer within the budget, unless what stands beside the list takes more by itself. */
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

/** Tells each tool as fully as what is left of the budget allows. What does not fit even by name is counted. */
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

/** A match as JSON, and how long that is. */
export interface ToolText {
  readonly name: string;
  readonly json: string;
  readonly bytes: number;
}

const toldByLevel = new WeakMap<Level, WeakMap<Tool, ToolText>>();

/** Written once for each tool: every request tells all answers of its history again. */
function tellAt(level: Level, one: Named): ToolText {
  const told = toldByLevel.get(level) ?? new WeakMap<Tool, ToolText>();
  toldByLevel.set(level, told);
  const known = told.get(one.tool);
  if (known?.name === one.name) return known;
  const json = JSON.stringify(level(one));
  const written = { name: one.name, json, bytes: utf8Length(json) };
  told.set(one.tool, written);
  return written;
}

/** A match with the tools that do the same, in the form that it has. */
function withDuplicates(json: string, names: readonly string[]): string {
  const before = json.slice(0, -1);
  return json.startsWith('"') ? `${before}${alsoText(names)}"` : `${before}${alsoField(names)}}`;
}

function alsoText(names: readonly string[]): string {
  return JSON.stringify(` (also: ${names.join(', ')})`).slice(1, -1);
}

/** At least as long as the text. */
function alsoField(names: readonly string[]): string {
  return `,"also":${JSON.stringify(names)}`;
}

/** An object as JSON, with a list of what is JSON already before the other fields. */
function writeList(key: string, items: readonly string[], rest: object): string {
  const fields = JSON.stringify(rest).slice(1, -1);
  return `{"${key}":[${items.join(',')}]${fields === '' ? '' : `,${fields}`}}`;
}
