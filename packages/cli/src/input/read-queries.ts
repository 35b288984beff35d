import { isJsonObject } from '@quartermaster/core/catalog';
import type { CommandIo } from '../command-io.ts';
import { at, InputError } from '../input-error.ts';
import { inputName, openInput } from './open-input.ts';
import { readRecords } from './read-records.ts';

/** A line of a queries file. */
export interface LabelledQuery {
  readonly query: string;
  /** Names or `server/name` ids of the tools that answer it; empty if nothing in the catalog does. */
  readonly relevant: readonly string[];
  readonly split?: string;
}

/** A line of a history: a request, and what was called for it. */
export interface PastCall {
  readonly query: string;
  /** Names or `server/name` ids. */
  readonly called: readonly string[];
}

/** The lines `{query, called}` of a file, where `called` is a name or a list of names. */
export async function* readHistory(path: string, stdin: CommandIo['stdin']): AsyncGenerator<PastCall> {
  for await (const { value, place } of queryRecords(path, stdin)) {
    const called = Array.isArray(value.called) ? value.called : [value.called];
    if (!called.every((name): name is string => typeof name === 'string')) {
      throw new InputError(`${place}: "called" must be the name of a tool, or a list of names`);
    }
    yield { query: readQuery(value, place), called };
  }
}

/** The `{query}` lines of a file, one at a time, other fields ignored. */
export async function* readBareQueries(path: string, stdin: CommandIo['stdin']): AsyncGenerator<string> {
  for await (const { value, place } of queryRecords(path, stdin)) yield readQuery(value, place);
}

/** The lines `{query, relevant, split?}` of a file, or a list of them. */
export async function* readQueries(path: string, stdin: CommandIo['stdin']): AsyncGenerator<LabelledQuery> {
  for await (const { value, place } of queryRecords(path, stdin)) {
    const query = readQuery(value, place);
    const { relevant, split } = value;
    if (!Array.isArray(relevant) || !relevant.every((name): name is string => typeof name === 'string')) {
      throw new InputError(`${place}: "relevant" must be a list of tool names (an empty one if nothing fits)`);
    }
    if (split !== undefined && split !== null && typeof split !== 'string') {
      throw new InputError(`${place}: "split" must be a string`);
    }
    yield typeof split === 'string' ? { query, relevant, split } : { query, relevant };
  }
}

/** All lines of some files. Throws if there are none. */
export async function readAllQueries(
  files: readonly string[],
  stdin: CommandIo['stdin'],
): Promise<readonly LabelledQuery[]> {
  const queries: LabelledQuery[] = [];
  for (const file of files) for await (const query of readQueries(file, stdin)) queries.push(query);
  if (queries.length === 0) throw new InputError(`${files.map(inputName).join(', ')}: no queries found`);
  return queries;
}

interface QueryRecord {
  readonly value: Readonly<Record<string, unknown>>;
  readonly place: string;
}

async function* queryRecords(path: string, stdin: CommandIo['stdin']): AsyncGenerator<QueryRecord> {
  const file = inputName(path);
  for await (const record of readRecords(openInput(path, stdin), file)) {
    const place = at(file, record.line);
    for (const value of Array.isArray(record.value) ? (record.value as readonly unknown[]) : [record.value]) {
      if (!isJsonObject(value)) throw new InputError(`${place}: a query is an object with the field "query"`);
      yield { value, place };
    }
  }
}

function readQuery(value: Readonly<Record<string, unknown>>, place: string): string {
  if (typeof value.query === 'string') return value.query;
  throw new InputError(`${place}: "query" is missing or not a string`);
}
