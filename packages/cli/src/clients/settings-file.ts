import { existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { ProxyForm } from '../commands/index.ts';
import { isUnchanged } from './apply-install.ts';
import { hashOf, readSeen, replaceFile } from './client-file.ts';
import { type Ledger, readRecords } from './ledger.ts';

/** A file with servers that the settings should name. */
export interface ServersFile {
  readonly file: string;
  /** The client whose servers they are. */
  readonly client: string;
}

/** How to make the settings name the files with the clients' servers. */
export type SettingsPlan =
  | { readonly kind: 'write'; readonly path: string; readonly text: string; readonly lines: string }
  | ({ readonly kind: 'extend'; readonly path: string; readonly text: string; readonly lines: string } & FormByHand)
  /** Only a person can add the lines without changing anything else. */
  | ({ readonly kind: 'by hand'; readonly path: string; readonly lines: string } & FormByHand)
  /** The settings already name every file. */
  | ({ readonly kind: 'complete'; readonly path: string } & FormByHand);

interface FormByHand {
  /** The chosen form, if the settings' block `mcp` lacks it: a person has to add it. */
  readonly form?: ProxyForm;
}

const HEADER = `# The MCP servers of your clients, for every quartermaster command that you run in this folder.
# Written by quartermaster init; quartermaster init --undo deletes it while it is unchanged.
`;

export interface SettingsOptions {
  /** The settings file. */
  readonly path: string;
  readonly files: readonly ServersFile[];
  readonly form: ProxyForm | undefined;
  /** The store that clients use in other folders. */
  readonly store: string;
}

/** Plans a new settings file, or the lines to add to an existing one. Its comments stay. */
export function planSettings({ path, files, form, store }: SettingsOptions): SettingsPlan {
  if (!existsSync(path)) {
    const lines = block(files, form);
    return { kind: 'write', path, text: `${HEADER}${lines}${storeLines(store)}`, lines };
  }
  const { text } = readSeen(path);
  const { named, others } = contentOf(path, text);
  const missing = files.filter(({ file }) => !named.includes(file));
  const { mcp } = others;
  const added = mcp === undefined ? form : undefined;
  const isSet = isJsonObject(mcp) && mcp.form === form;
  const byHand = defined({ form: mcp === undefined || isSet ? undefined : form });
  if (missing.length === 0 && added === undefined) return { kind: 'complete', path, ...byHand };
  const extended = extend(text, missing, added);
  const lines = extended?.lines ?? block(missing, added);
  const intended: SettingsContent = {
    named: [...named, ...missing.map(({ file }) => file)],
    others: { ...others, ...(added === undefined ? {} : { mcp: { form: added } }) },
  };
  if (extended === undefined || !isDeepStrictEqual(contentOf(path, extended.text), intended)) {
    return { kind: 'by hand', path, lines, ...byHand };
  }
  return { kind: 'extend', path, ...extended, ...byHand };
}

/** Carries out the plan, and records it for `undoSettings`. */
export function applySettings(plan: SettingsPlan, ledger: Ledger): void {
  if (plan.kind !== 'write' && plan.kind !== 'extend') return;
  const { path, text } = plan;
  const records = writtenFiles(ledger);
  const earlier = records.find((one) => one.path === path);
  // A second run adds to the first one's changes: undo restores the state before both.
  const isSame = earlier !== undefined && isUnchanged(path, earlier.hash);
  const before = plan.kind === 'write' ? undefined : isSame ? earlier.before : readSeen(path).text;
  replaceFile(targetOf(path), text);
  const written: Written = { path, hash: hashOf(text), ...defined({ before }) };
  writeRecords(ledger, [...records.filter((one) => one.path !== path), written]);
}

/** How a settings file was restored. */
export interface UndoneSettings {
  readonly path: string;
  readonly kind: 'deleted' | 'restored' | 'kept' | 'gone';
  /** Files that it names and that no longer exist. */
  readonly missing: readonly string[];
}

/** Restores every settings file that has not changed since it was written. */
export function undoSettings(ledger: Ledger): readonly UndoneSettings[] {
  const undone = writtenFiles(ledger).map(({ path, hash, before }): UndoneSettings => {
    if (!existsSync(path)) return { path, kind: 'gone', missing: [] };
    if (!isUnchanged(path, hash)) return { path, kind: 'kept', missing: missingFiles(path, readSeen(path).text) };
    if (before === undefined) {
      rmSync(path);
      return { path, kind: 'deleted', missing: [] };
    }
    replaceFile(targetOf(path), before);
    return { path, kind: 'restored', missing: missingFiles(path, before) };
  });
  writeRecords(ledger, []);
  return undone;
}

/** The target of a link, so that the file is replaced and not the link to it. */
function targetOf(path: string): string {
  return existsSync(path) ? readSeen(path).path : path;
}

function missingFiles(path: string, text: string): readonly string[] {
  return contentOf(path, text).named.filter((file) => !existsSync(file));
}

export function hasSettingsToUndo(ledger: Ledger): boolean {
  return writtenFiles(ledger).length > 0;
}

interface Written {
  readonly path: string;
  readonly hash: string;
  /** Its text before lines were added. Absent if the file was new. */
  readonly before?: string;
}

/** Version 0.4 recorded one file. */
function writtenFiles(ledger: Ledger): readonly Written[] {
  return readRecords(recordOf(ledger));
}

function writeRecords(ledger: Ledger, records: readonly Written[]): void {
  if (records.length === 0) rmSync(recordOf(ledger), { force: true });
  else replaceFile(recordOf(ledger), `${JSON.stringify(records)}\n`);
}

function recordOf({ folder }: Ledger): string {
  return join(folder, 'settings-written.json');
}

function block(files: readonly ServersFile[], form: ProxyForm | undefined): string {
  const named = files.length === 0 ? '' : `mcpConfig:\n${items(files, '  ')}`;
  return `${named}${form === undefined ? '' : formLines(form)}`;
}

/** The lines that set the form. */
export function formLines(form: ProxyForm): string {
  return `mcp:\n  form: ${form}\n`;
}

/** One store for all: a sign-in in this folder has to reach the clients, which start in other folders. */
function storeLines(path: string): string {
  return `# Where your clients keep sign-ins, answers to inputs and accepted definitions too.\nstore:\n  path: ${JSON.stringify(path)}\n`;
}

function items(files: readonly ServersFile[], indent: string): string {
  return files.map(({ file, client }) => `${indent}- ${JSON.stringify(file)} # ${client}\n`).join('');
}

/** The text with the files in its list `mcpConfig`, added if missing, and the form at its end. Undefined if it uses another style. */
function extend(
  text: string,
  missing: readonly ServersFile[],
  form: ProxyForm | undefined,
): { readonly text: string; readonly lines: string } | undefined {
  const { contents: root, errors } = parseDocument(text);
  if (errors.length > 0 || (root !== null && (!isMap(root) || root.flow === true))) return undefined;
  const pair = isMap(root) ? root.items.find(({ key }) => isScalar(key) && key.value === 'mcpConfig') : undefined;
  if (pair === undefined || missing.length === 0) {
    const lines = block(missing, form);
    return { text: `${endLine(text)}${lines}`, lines };
  }
  const list = pair.value;
  const [first, last] = isSeq(list) && list.flow !== true ? [list.items[0], list.items.at(-1)] : [];
  if (!isScalar(first) || !isScalar(last)) return undefined;
  const start = first.range?.[0] ?? 0;
  const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1))?.[0] ?? '';
  const end = last.range?.[2] ?? text.length;
  const [named, chosen] = [items(missing, indent), form === undefined ? '' : formLines(form)];
  const listed = `${endLine(text.slice(0, end))}${named}${text.slice(end)}`;
  return { text: chosen === '' ? listed : `${endLine(listed)}${chosen}`, lines: `${named}${chosen}` };
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** What a settings file says, as far as it can be read. */
interface SettingsContent {
  /** The files with servers. */
  readonly named: readonly string[];
  readonly others: Readonly<Record<string, unknown>>;
}

function contentOf(path: string, text: string): SettingsContent {
  const document = parseDocument(text);
  const content: unknown = document.errors.length > 0 ? undefined : document.toJS();
  const { mcpConfig = [], ...others } = isJsonObject(content) ? content : {};
  const files = (Array.isArray(mcpConfig) ? mcpConfig : [mcpConfig]).filter((file) => typeof file === 'string');
  return { named: files.map((file) => resolve(dirname(path), file)), others };
}
