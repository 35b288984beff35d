import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { InputError } from '../input-error.ts';
import { rawServers, serversIn } from './client-file.ts';

interface ServerEdit {
  /** Where the servers are in the file. */
  readonly block: readonly string[];
  /** The project whose servers they are, if any. */
  readonly project?: string | undefined;
  /** The servers to remove. */
  readonly remove: readonly string[];
  /** The servers to add, after those that stay. */
  readonly add: Readonly<Record<string, JsonObject>>;
}

/** A client's file with other servers. Everything else stays, including comments; an edit that would change more is refused. */
export function editServers(file: string, text: string, edit: ServerEdit): string {
  const edited = editText(file, text, edit);
  const [before, after] = [text, edited].map((one) => serversIn(file, one, edit.project)?.document);
  const [old, now] = [before, after].map((document) => rawServers(document, edit.block));
  const names = [...(old?.keys() ?? [])].filter((name) => !edit.remove.includes(name));
  const expected = new Set([...names, ...Object.keys(edit.add)]);
  const isExpected = now !== undefined && now.size === expected.size && [...expected].every((name) => now.has(name));
  if (isExpected && isDeepStrictEqual(without(before, edit.block), without(after, edit.block))) return edited;
  throw new InputError(`${file} can't be edited without changing more than its servers; move them by hand`);
}

function editText(file: string, text: string, edit: ServerEdit): string {
  if (file.endsWith('.toml')) return editToml(text, edit);
  if (/\.ya?ml$/.test(file)) return editYaml(text, edit);
  if (/\.jsonc?$/.test(file)) return editJson(text, edit);
  throw new InputError(`${file} is neither JSON, YAML nor TOML`);
}

/** A document without its servers. */
function without(document: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (!isJsonObject(document)) return document;
  const { [key]: block, ...others } = document;
  return rest.length === 0 ? others : { ...others, [key]: without(block, rest) as Json };
}

/** Edits JSON with comments in place. */
function editJson(text: string, { block, remove, add }: ServerEdit): string {
  // A byte order mark is not part of the document.
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const formattingOptions = formattingOf(text);
  const put = (current: string, path: readonly string[], value: unknown): string =>
    applyEdits(current, modify(current, [...path], value, { formattingOptions }));
  const taken = remove.reduce((current, name) => put(current, [...block, name], undefined), text.slice(mark.length));
  const edited = Object.entries(add).reduce((current, [name, entry]) => put(current, [...block, name], entry), taken);
  return mark + edited.replace(LONE_COMMA, '');
}

/** The last server's trailing comma can leave a line with only a comma before the end of the block. JSON strings have no line breaks. */
const LONE_COMMA = /\r?\n[ \t]*,(?=\s*\})/g;

/** The indentation of the file. */
function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** Edits a list of servers in YAML; everything around the list stays as it is. */
function editYaml(text: string, { block, remove, add }: ServerEdit): string {
  const [key = ''] = block;
  const document = parseDocument(text);
  const root = document.contents;
  const pair = isMap(root) ? root.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  const list = pair?.value;
  if (document.errors.length > 0 || !isSeq(list) || list.flow === true) {
    throw new InputError(
      `The file has no list ${key} with a dash before each server; write it that way, or move the servers by hand`,
    );
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const column = columnOf(text, list.range?.[0] ?? 0);
  const items = list.items.map((item) => {
    const range = (item as { readonly range?: readonly [number, number, number] }).range;
    const name = isMap(item) ? item.get('name') : undefined;
    return { name, from: lineStart(text, range?.[0] ?? 0), to: range?.[2] ?? range?.[1] ?? 0 };
  });
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) throw new InputError(`The list ${key} is empty`);
  const kept = items
    .filter(({ name }) => typeof name !== 'string' || !remove.includes(name))
    .map(({ from, to }) => text.slice(from, to));
  const added = Object.values(add).map((entry) => indent(stringify([entry], { lineWidth: 0 }), column, eol));
  return text.slice(0, first.from) + [...kept, ...added].join('') + text.slice(last.to);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function columnOf(text: string, offset: number): number {
  return /^\s*/.exec(text.slice(lineStart(text, offset)))?.[0].length ?? 0;
}

function indent(yaml: string, column: number, eol: string): string {
  return yaml
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(column)}${line}${eol}`)
    .join('');
}

/** Edits tables such as `[mcp_servers.name]` in place, with their sub-tables. */
function editToml(text: string, { block, remove, add }: ServerEdit): string {
  const [table = ''] = block;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  const taken = new Set<string>();
  let isTaken = false;
  let isInside = false;
  for (const [index, line] of lines.entries()) {
    const path = headerOf(line);
    if (path !== undefined) {
      isInside = path[0] === table;
      const name = path[1];
      isTaken = isInside && name !== undefined && remove.includes(name);
      if (isTaken && name !== undefined) taken.add(name);
    }
    // Comments above a table belong to it.
    if (!isTaken || isAboutNext(lines, index)) kept.push(line);
  }
  const missed = remove.filter((name) => !taken.has(name));
  if (missed.length > 0) {
    throw new InputError(
      `The servers ${missed.join(', ')} are not written as [${table}.name] tables; write them that way, or move them by hand`,
    );
  }
  const rest = kept.join('');
  const added = Object.entries(add).map(([name, entry]) => renderTable([table, name], entry, eol));
  if (added.length === 0) return rest;
  const gap = rest === '' || /\r?\n\r?\n$/.test(rest) ? '' : rest.endsWith('\n') ? eol : eol + eol;
  return rest + gap + added.join(eol);
}

/** The names in `[a.b."c d"]`; undefined for other lines. */
function headerOf(line: string): readonly string[] | undefined {
  const inside = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line.trimEnd())?.[1];
  if (inside === undefined) return undefined;
  const names = inside.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s]+/g) ?? [];
  return names.map((name) => (name.startsWith('"') ? String(JSON.parse(name)) : name.replace(/^'|'$/g, '')));
}

function isAboutNext(lines: readonly string[], index: number): boolean {
  if (!/^\s*#/.test(lines[index] ?? '')) return false;
  const next = lines.slice(index + 1).find((line) => !/^\s*(?:#|$)/.test(line));
  return next === undefined || headerOf(next) !== undefined;
}

function renderTable(path: readonly string[], entry: JsonObject, eol: string): string {
  const header = `[${path.map(keyOf).join('.')}]${eol}`;
  return (
    header +
    Object.entries(entry)
      .map(([key, value]) => `${keyOf(key)} = ${tomlValue(value)}${eol}`)
      .join('')
  );
}

function tomlValue(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${keyOf(key)} = ${tomlValue(one)}`)
      .join(', ')} }`;
  }
  // A JSON string is a TOML string.
  return JSON.stringify(value);
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}
