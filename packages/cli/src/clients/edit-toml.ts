import type { Json, JsonObject } from '@quartermaster/core/catalog';
import { InputError } from '../input-error.ts';
import type { ServerEdit } from './edit-servers.ts';

/** Edits tables such as `[mcp_servers.name]` in place, with their sub-tables. */
export function editToml(text: string, { block, remove, add }: ServerEdit): string {
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
