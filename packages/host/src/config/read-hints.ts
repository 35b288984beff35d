import { readFileSync, statSync } from 'node:fs';
import { isJsonObject, type JsonObject, type SearchHint, type SearchHints } from '@quartermaster/core/catalog';

/** A file of search hints as written by `quartermaster enrich`, to be reviewed and committed. */
export interface HintsFile {
  readonly version: 1;
  /** By the tool's id, in alphabetical order. */
  readonly tools: Readonly<Record<string, HintsEntry>>;
}

/** The search hints that a model has written for one tool. */
export interface HintsEntry extends SearchHint {
  /** The model that wrote them. */
  readonly model: string;
  /** The version of its instructions. */
  readonly prompt: number;
  /** Hints that find another tool of the same server first. They are kept for review, and not used. */
  readonly rejected?: readonly string[];
}

/** Reads such a file. Throws an `Error` that says what is wrong with it. */
export function readHintsFile(path: string): HintsFile {
  const { size } = statSync(path);
  if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than the ${MOST_BYTES} that are read`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value) || value.version !== 1 || !isJsonObject(value.tools)) {
    throw new Error(`${path} is not a file of search hints: { "version": 1, "tools": { … } }`);
  }
  const tools: Record<string, HintsEntry> = Object.create(null);
  for (const [id, entry] of Object.entries(value.tools)) tools[id] = readEntry(entry, `${path}: tools["${id}"]`);
  return { version: 1, tools };
}

/** The hints in the file, for an index. */
export function readHints(path: string): SearchHints {
  return new Map(Object.entries(readHintsFile(path).tools));
}

function readEntry(entry: unknown, place: string): HintsEntry {
  if (!isJsonObject(entry)) throw new Error(`${place} is not an object`);
  const { hash, model, prompt } = entry;
  if (typeof hash !== 'string' || typeof model !== 'string' || typeof prompt !== 'number') {
    throw new Error(`${place} needs "hash", "model" and "prompt"`);
  }
  const rejected = entry.rejected === undefined ? {} : { rejected: readTexts(entry, 'rejected', place) };
  return { hash, model, prompt, hints: readTexts(entry, 'hints', place), ...rejected };
}

function readTexts(entry: JsonObject, name: string, place: string): readonly string[] {
  const texts = entry[name];
  if (!Array.isArray(texts) || texts.length > MOST_HINTS || texts.some((text) => typeof text !== 'string')) {
    throw new Error(`${place}.${name} is not a list of at most ${MOST_HINTS} texts`);
  }
  return (texts as readonly string[]).map((text) => text.slice(0, LONGEST_HINT));
}

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_HINTS = 32;
const LONGEST_HINT = 200;
