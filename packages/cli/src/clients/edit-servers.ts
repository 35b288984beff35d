import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { InputError } from '../input-error.ts';
import { rawServers, serversIn } from './client-file.ts';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';
import { editYaml } from './edit-yaml.ts';

export interface ServerEdit {
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
