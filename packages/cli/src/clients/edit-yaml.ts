import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { InputError } from '../input-error.ts';
import type { ServerEdit } from './edit-servers.ts';

/** Edits a list of servers in YAML; everything around the list stays as it is. */
export function editYaml(text: string, { block, remove, add }: ServerEdit): string {
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
