import { createHash } from 'node:crypto';
import { createSnapshot, parseTools, type Snapshot, type Tool } from '@quartermaster/core';
import { type Problem, SNAPSHOT_DEFAULTS } from '@quartermaster/core/catalog';
import type { CommandIo } from '../command-io.ts';
import { at, InputError } from '../input-error.ts';
import { packageVersion } from '../package-version.ts';
import { counted, oneLine } from '../terminal/index.ts';
import { countDefinitions, findBadDefinition } from './count-definitions.ts';
import { inputName, openInput } from './open-input.ts';
import { READ_LIMITS, type ReadLimits } from './read-lines.ts';
import { type JsonRecord, readRecords } from './read-records.ts';
import { findJsonPath, lineAt } from './scan-json.ts';

export interface ReadToolsOptions {
  readonly stdin: CommandIo['stdin'];
  /** Leaves out what can't be read, and repeated tools, instead of failing. @default false */
  readonly skipBad?: boolean | undefined;
  /** Called from time to time with the number of tools so far. */
  onProgress?(tools: number): void;
  /** @default 10_000 */
  readonly maxTools?: number | undefined;
  /** @default 256 MiB per file, 64 MiB per line */
  readonly limits?: ReadLimits | undefined;
}

/** A catalog read from files. */
export interface ReadTools {
  readonly snapshot: Snapshot;
  /** What was left out, one sentence each with file and line; at most the first hundred. */
  readonly skipped: readonly string[];
  readonly skippedCount: number;
  /** Where a tool is: the line of the JSON value that contains it. */
  placeOf(id: string): { readonly file: string; readonly line: number } | undefined;
}

/** Reads catalogs from files in any shape that `parseTools` knows, all into one snapshot. */
export async function readTools(files: readonly string[], options: ReadToolsOptions): Promise<ReadTools> {
  const maxTools = options.maxTools ?? SNAPSHOT_DEFAULTS.maxTools;
  const places = new Map<string, { readonly file: string; readonly line: number }>();
  const texts = createHash('sha256').update(`${packageVersion()} `);
  const tools: Tool[] = [];
  const skipped: string[] = [];
  let skippedCount = 0;
  const reject = (message: string): void => {
    if (options.skipBad !== true) throw new InputError(`${message}${SKIP_HINT}`);
    skippedCount += 1;
    if (skipped.length < MOST_MESSAGES) skipped.push(message);
  };
  for (const path of files) {
    const file = inputName(path);
    for await (const record of readRecords(openInput(path, options.stdin), file, options.limits ?? READ_LIMITS)) {
      options.onProgress?.(tools.length);
      texts.update(`${record.text.length} `).update(record.text);
      const place = at(file, record.line);
      if (countDefinitions(record.value, maxTools) > maxTools) throw tooMany(place, maxTools);
      const parsed = parseTools(record.value);
      for (const [index, problem] of parsed.problems.entries()) {
        // Finding the line of a problem parses again, so only the first one of a record gets its own.
        const where = index === 0 ? placeOfProblem(record, file) : place;
        reject(`${where}: ${describeProblem(problem, index === 0)}`);
      }
      for (const tool of parsed.tools) {
        const earlier = places.get(tool.id);
        if (earlier !== undefined) {
          reject(`${place}: tool ${quote(tool.id)} is already defined at ${at(earlier.file, earlier.line)}`);
          continue;
        }
        if (tools.length >= maxTools) throw tooMany(place, maxTools);
        places.set(tool.id, { file, line: record.line });
        tools.push(tool);
      }
    }
  }
  if (tools.length === 0) throw new InputError(`${files.map(inputName).join(', ')}: no tools found`);
  // The same texts, read by the same version, are the same tools.
  const snapshot = createSnapshot(tools, { maxTools, contentKey: texts.digest('hex') });
  return { snapshot, skipped, skippedCount, placeOf: (id) => places.get(id) };
}

/** `isPointedAt`: the line before it is the tool's own, so one without a name needs no number. */
function describeProblem({ index, name, reason }: Problem, isPointedAt: boolean): string {
  const unnamed = isPointedAt ? 'this tool' : `tool ${index + 1}`;
  return `${name === undefined ? unnamed : `tool ${quote(name)}`} can't be read: ${reason}`;
}

/** A name in a message. It comes from outside, so it may be long. */
function quote(name: string): string {
  return JSON.stringify(oneLine(name, SHOWN_NAME));
}

function tooMany(place: string, maxTools: number): InputError {
  return new InputError(`${place}: more than ${counted(maxTools, 'tool')}; raise the limit with --max-tools`);
}

function placeOfProblem(record: JsonRecord, file: string): string {
  const offset = findJsonPath(record.text, findBadDefinition(record.value)) ?? 0;
  return at(file, record.line - 1 + lineAt(record.text, offset));
}

const SKIP_HINT = ' (--skip-bad continues without it)';
const MOST_MESSAGES = 100;
const SHOWN_NAME = 80;
