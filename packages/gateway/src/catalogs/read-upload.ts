import { createHash } from 'node:crypto';
import { parseTools, type Tool } from '@quartermaster/core';
import { isJsonObject, type Json, renderCatalog } from '@quartermaster/core/catalog';
import {
  createSnapshotInSteps,
  findInvisibleKey,
  hasInvisible,
  runInSlices,
  stripInvisibleTexts,
} from '@quartermaster/core/internal';
import type { NewCatalog } from '@quartermaster/host/store';
import { ApiError, parseJson } from '../http/index.ts';
import { CLOSE_ARRAY, COMMA, endOfMembers, OPEN_ARRAY } from '../http/json-scan.ts';
import { locateTools } from './read-body.ts';

/** A catalog as it is stored. */
export interface UploadedCatalog extends Pick<NewCatalog, 'hash' | 'tools' | 'toolCount'> {
  /** What was changed in the definitions before they were stored. */
  readonly findings: readonly UploadFinding[];
}

export interface UploadFinding {
  readonly tool: string;
  readonly rule: 'hidden-characters';
  readonly level: 'warning';
  readonly message: string;
}

/**
 * A list of definitions in any known format, alone or under `tools`. An unreadable one rejects the whole list, so that none goes missing.
 * Invisible characters are treated as in the lists of MCP servers: removed from texts, rejected in names.
 * Read, checked, hashed and written in slices, because it may be as long as any body.
 */
export function readUpload(bytes: Buffer, maxTools: number): Promise<UploadedCatalog> {
  return runInSlices(readInSteps(bytes, maxTools));
}

/** A step handles about this many bytes of text, or this many tools. */
const STEP_BYTES = 32 * 1024;
const STEP_TOOLS = 16;

function* readInSteps(bytes: Buffer, maxTools: number): Generator<void, UploadedCatalog> {
  const definitions = yield* parseDefinitions(bytes);
  if (definitions.length > maxTools) throw tooMany(definitions.length, maxTools);
  const tools: Tool[] = [];
  const texts: string[] = [];
  const findings: UploadFinding[] = [];
  for (let start = 0; start < definitions.length; start += STEP_TOOLS) {
    const given = definitions.slice(start, start + STEP_TOOLS);
    const read = parseTools(given);
    // Read again with all others, so that the message has its index among them.
    if (read.problems.length > 0) parseTools(definitions, { onProblem: 'throw' });
    const text = JSON.stringify(given);
    const some = hasInvisible(text)
      ? given.map((one, at) => stripDefinition(one as Json, start + at, findings))
      : given;
    for (const tool of some === given ? read.tools : parseTools(some).tools) tools.push(tool);
    texts.push((some === given ? text : JSON.stringify(some)).slice(1, -1));
    yield;
  }
  // One definition can contain many: a namespace, a list of functions.
  if (tools.length > maxTools) throw tooMany(tools.length, maxTools);
  yield* createSnapshotInSteps(tools, { maxTools });
  yield;
  return { hash: yield* hashInSteps(tools), tools: `[${texts.join(',')}]`, toolCount: tools.length, findings };
}

const MOST_FINDINGS = 100;

/** A definition with every text as people see it. Names can't be changed without breaking calls, so they are rejected. */
function stripDefinition(definition: Json, at: number, findings: UploadFinding[]): Json {
  const stripped = stripInvisibleTexts(definition);
  const ids = parseTools([stripped]).tools.map(({ id }) => id);
  const areNamesClean = parseTools([definition]).tools.every(({ id }, index) => id === ids[index]);
  if (!areNamesClean || findInvisibleKey(definition) !== undefined) {
    throw new ApiError(
      400,
      `Tool ${at} (${JSON.stringify(ids[0])}) has a name with invisible characters, of its own or of a parameter; remove them`,
    );
  }
  const removed = [...JSON.stringify(definition)].length - [...JSON.stringify(stripped)].length;
  if (removed === 0 || findings.length >= MOST_FINDINGS) return stripped;
  const message = `Invisible characters were removed from its texts: ${removed}`;
  findings.push({ tool: ids[0] ?? '', rule: 'hidden-characters', level: 'warning', message });
  return stripped;
}

/** The hash of their snapshot. */
function* hashInSteps(tools: readonly Tool[]): Generator<void, string> {
  const hash = createHash('sha256');
  let pieces = 0;
  for (const piece of renderCatalog(tools)) {
    hash.update(piece);
    pieces += 1;
    if (pieces % STEP_TOOLS === 0) yield;
  }
  return hash.digest('hex');
}

/** The members of the list one after the other if the text is written as usual; otherwise the text as a whole. */
function* parseDefinitions(bytes: Buffer): Generator<void, readonly unknown[]> {
  const start = bytes[0] === OPEN_ARRAY ? 0 : locateTools(bytes);
  if (start === undefined) return definitionsIn(parseJson(bytes));
  const definitions: unknown[] = [];
  let end = start;
  do {
    const from = end + 1;
    end = endOfMembers(bytes, from, STEP_BYTES);
    const some = parseJson(`[${bytes.toString('utf8', from, end)}]`) as readonly unknown[];
    const isEmpty = some.length === 0 && from === start + 1 && bytes[end] === CLOSE_ARRAY;
    if (some.length === 0 && !isEmpty) throw new ApiError(400, 'The request body is not valid JSON');
    for (const definition of some) definitions.push(definition);
    yield;
  } while (bytes[end] === COMMA);
  const isClosed = bytes[end] === CLOSE_ARRAY && isWhole(bytes, start, end + 1);
  return isClosed ? definitions : definitionsIn(parseJson(bytes));
}

/** Whether the text around the list is JSON, and has no second list under the same key. */
function isWhole(bytes: Buffer, start: number, end: number): boolean {
  try {
    const rest: unknown = JSON.parse(`${bytes.toString('utf8', 0, start)}"${PLACE}"${bytes.toString('utf8', end)}`);
    return rest === PLACE || (rest as { readonly tools?: unknown }).tools === PLACE;
  } catch {
    return false;
  }
}

const PLACE = 'the list of definitions';

function definitionsIn(value: unknown): readonly unknown[] {
  const definitions = isJsonObject(value) ? value.tools : value;
  if (!Array.isArray(definitions)) throw new ApiError(400, 'tools: Input should be a list of tool definitions');
  return definitions;
}

function tooMany(count: number, maxTools: number): ApiError {
  return new ApiError(
    400,
    `tools: a catalog may have ${maxTools} tools, and this one has ${count}; divide it, or raise limits.catalogTools`,
  );
}
