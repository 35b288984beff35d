import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The names that a declaration file exports, in its order, each with its kind, its doc comment and its declarations as text. Re-exports
 * are followed within the package; a name that another package declares is of the kind `foreign`.
 */
export function readExports(file) {
  const known = read.get(file);
  if (known !== undefined) return known;
  const exported = new Map();
  const local = new Map();
  const take = (one, target) => {
    const declared = target === undefined ? local.get(one.name) : reExported(file, target, one.name);
    if (declared === undefined) throw new Error(`${file} exports ${one.name}, which is not there`);
    exported.set(one.as, { ...declared, name: one.as });
  };
  const lists = [];
  for (const { text, doc } of statementsIn(readFileSync(file, 'utf8'))) {
    const list = /^(import|export) (?:type )?\{([\s\S]*)\}(?: from ["']([^"']+)["'])?;$/.exec(text);
    if (list?.[1] === 'import') {
      for (const one of namesIn(list[2])) local.set(one.as, { kind: 'import', name: one.name, target: list[3] });
      continue;
    }
    if (list !== null) {
      lists.push(list);
      continue;
    }
    const declaration = DECLARATION.exec(text);
    if (declaration === null) continue;
    const [, isExported, kind, name] = declaration;
    const before = local.get(name);
    local.set(name, { name, kind, doc: before?.doc ?? doc, texts: [...(before?.texts ?? []), text], file });
    if (isExported !== undefined) exported.set(name, local.get(name));
  }
  for (const [, , names, target] of lists) {
    for (const one of namesIn(names)) {
      const imported = target === undefined ? local.get(one.name) : undefined;
      if (imported?.kind === 'import') take({ name: imported.name, as: one.as }, imported.target);
      else take(one, target);
    }
  }
  read.set(file, [...exported.values()]);
  locals.set(file, local);
  return read.get(file);
}

const DECLARATION = /^(export )?(?:declare )?(?:abstract )?(function|const|class|interface|type|enum) (\w+)/;
const read = new Map();
const locals = new Map();

/** What a name means inside a declaration file, exported or not. Undefined for what another package or the platform declares. */
export function readLocal(file, name) {
  readExports(file);
  const found = locals.get(file).get(name);
  if (found?.kind !== 'import') return found;
  if (!found.target.startsWith('.')) return undefined;
  return readLocal(resolve(dirname(file), found.target.replace(/\.[jt]s$/, '.d.ts')), found.name);
}

function reExported(file, target, name) {
  if (!target.startsWith('.')) return { name, kind: 'foreign', target };
  const path = resolve(dirname(file), target.replace(/\.[jt]s$/, '.d.ts'));
  return readExports(path).find((one) => one.name === name);
}

function namesIn(list) {
  return list
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name, as = name] = part.split(' as ');
      return { name, as };
    });
}

/** The statements at the top of a file, each with the doc comment right before it. */
function statementsIn(text) {
  const statements = [];
  let doc;
  let start = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const skipped = skip(text, at);
    if (skipped > at) {
      if (start < 0 && text.startsWith('/**', at)) doc = text.slice(at, skipped);
      at = skipped - 1;
      continue;
    }
    const character = text[at];
    if (start < 0) {
      if (/\s/.test(character)) continue;
      start = at;
    }
    if ('{([<'.includes(character)) depth += 1;
    else if ('})]'.includes(character) || (character === '>' && text[at - 1] !== '=')) depth -= 1;
    const isBlock =
      character === '}' &&
      /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum) /.test(text.slice(start, start + 60));
    if (depth !== 0 || !(character === ';' || isBlock)) continue;
    statements.push({ text: text.slice(start, at + 1), doc });
    start = -1;
    doc = undefined;
  }
  return statements;
}

/** Where a comment or a string that begins here ends. */
function skip(text, at) {
  if (text.startsWith('/*', at)) return text.indexOf('*/', at) + 2;
  if (text.startsWith('//', at)) return ends(text.indexOf('\n', at), text);
  const quote = text[at];
  if (quote !== '"' && quote !== "'" && quote !== '`') return at;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === quote) return end + 1;
  }
  return text.length;
}

function ends(found, text) {
  return found < 0 ? text.length : found;
}
