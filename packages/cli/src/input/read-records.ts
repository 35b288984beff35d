import { at, InputError } from '../input-error.ts';
import { megabytes, READ_LIMITS, type ReadLimits, readLines } from './read-lines.ts';
import { findJsonError, lineAt } from './scan-json.ts';

/** One JSON value of a file, with its text, so that a problem inside it can be given a line. */
export interface JsonRecord {
  readonly value: unknown;
  readonly text: string;
  /** The line on which it starts, from 1. */
  readonly line: number;
}

/**
 * The JSON values of a file: one per line, or one document over several lines. The first line decides which:
 * a line that is not JSON by itself starts a document, unless the file's name says that it has one value per line.
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  limits: ReadLimits = READ_LIMITS,
): AsyncGenerator<JsonRecord> {
  const document: string[] = [];
  let documentLine = 0;
  let lastLine = 0;
  let length = 0;
  let isFirst = true;
  for await (const { number, text } of readLines(bytes, file, limits)) {
    if (documentLine > 0) {
      // Blank lines are skipped, but count in the line number of a mistake.
      const blank = number - lastLine - 1;
      length += blank + text.length;
      checkDocument(length, at(file, documentLine), limits);
      document.push('\n'.repeat(blank) + text);
      lastLine = number;
      continue;
    }
    const record = parse(text, number);
    if (record !== undefined) {
      yield record;
    } else if (isFirst && !LINE_FILE.test(file)) {
      documentLine = number;
      lastLine = number;
      length = text.length;
      document.push(text);
    } else {
      throw notJson(text, number, file);
    }
    isFirst = false;
  }
  if (documentLine === 0) return;
  const whole = document.join('\n');
  const record = parse(whole, documentLine);
  if (record === undefined) throw notJson(whole, documentLine, file);
  yield record;
}

function parse(text: string, line: number): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value, text, line };
  } catch {
    return undefined;
  }
}

function checkDocument(length: number, place: string, limits: ReadLimits): void {
  if (length <= limits.recordBytes) return;
  throw new InputError(
    `${place}: the JSON document is larger than ${megabytes(limits.recordBytes)}; write one value per line to go beyond`,
  );
}

function notJson(text: string, line: number, file: string): InputError {
  const offset = findJsonError(text) ?? 0;
  const place = at(file, line - 1 + lineAt(text, offset));
  if (offset >= text.length) return new InputError(`${place}: invalid JSON: it ends too early`);
  const rest = text.slice(offset, offset + SHOWN_CHARACTERS).split('\n')[0] ?? '';
  return new InputError(`${place}: invalid JSON at ${JSON.stringify(rest)}`);
}

const LINE_FILE = /\.(?:jsonl|ndjson)(?:\.gz)?$/i;
const SHOWN_CHARACTERS = 24;
