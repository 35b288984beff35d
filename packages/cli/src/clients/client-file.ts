import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { type ClientFile, readClientFile } from '@quartermaster/host/config';
import { InputError } from '../input-error.ts';

const MOST_BYTES = 64 * 1024 * 1024;

/** A file at the time it was read. */
export interface SeenFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly text: string;
  readonly hash: string;
}

/** Reads a text file. Follows links, so that the file is replaced later and not the link to it. */
export function readSeen(file: string): SeenFile {
  const { path, bytes } = readBytes(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new InputError(`${file} is not UTF-8 text`);
  return { path, bytes, text, hash: hashOf(bytes) };
}

function readBytes(file: string): { readonly path: string; readonly bytes: Buffer } {
  try {
    const path = realpathSync(file);
    if (statSync(path).size > MOST_BYTES) throw new InputError(`${file} has more than 64 MiB`);
    return { path, bytes: readFileSync(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new InputError(`${file} can't be read: ${UNREADABLE[code] ?? code}`, { cause: error });
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no permission',
  EISDIR: 'it is a folder',
};

export function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Replaces a file completely or not at all. It keeps its permissions; only the owner can read a new one. */
export function replaceFile(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o600;
  const beside = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    writeFileSync(beside, content, { mode, flag: 'wx' });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new InputError(`${path} can't be written: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** The servers of a file, or of one project in Claude Code's file. Undefined if it has none. */
export function serversIn(path: string, text: string, project?: string): ClientFile | undefined {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (plain.trim() === '') return undefined;
  return project === undefined ? readClientFile(path, plain) : serversOfProject(path, plain, project);
}

/** The folders that Claude Code keeps servers for in this file. */
export function projectsIn(path: string, text: string): readonly string[] {
  const document = parseJson(path, text);
  const projects = isJsonObject(document) && isJsonObject(document.projects) ? document.projects : {};
  return Object.keys(projects);
}

function serversOfProject(path: string, text: string, project: string): ClientFile | undefined {
  const document = parseJson(path, text);
  const projects = isJsonObject(document) ? document.projects : undefined;
  const own = isJsonObject(projects) && Object.hasOwn(projects, project) ? projects[project] : undefined;
  if (!isJsonObject(own)) return undefined;
  const found = readClientFile(path, JSON.stringify({ mcpServers: own.mcpServers }));
  if (found === undefined) return undefined;
  const off = Array.isArray(own.disabledMcpServers) ? own.disabledMcpServers : [];
  return {
    ...{ inputs: found.inputs, document },
    servers: found.servers.map((server) => ({ ...server, isOff: server.isOff || off.includes(server.name) })),
  };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new InputError(`${path} is not valid JSON`, { cause: error });
  }
}

/** The entries of a block as they are in the file, by name. */
export function rawServers(document: unknown, block: readonly string[]): ReadonlyMap<string, JsonObject> {
  const value = block.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), document);
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((entry: unknown) => [isJsonObject(entry) ? String(entry.name) : '', entry] as const)
    : Object.entries(isJsonObject(value) ? value : {});
  return new Map(entries.filter((entry): entry is readonly [string, JsonObject] => isJsonObject(entry[1])));
}
