import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { fromUtf8, toUtf8 } from '@smithy/util-utf8';

export type Json = null | boolean | number | string | readonly Json[] | JsonRecord;
export interface JsonRecord {
  readonly [key: string]: Json;
}

/** `interactions` is another API of Google's, which the AI SDK speaks. */
export type RecordedDialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'interactions' | 'bedrock';

/** One recorded response: a whole body, or the events of a stream. */
export interface Recording {
  /** The path below its folder. */
  readonly name: string;
  readonly dialect: RecordedDialect;
  readonly isStream: boolean;
  /** What a host sends an error with. */
  readonly status?: number;
  /** The body, or the events in order. */
  readonly parts: readonly JsonRecord[];
  /** The client's tools that are called in it. */
  readonly calledTools: readonly string[];
  /** Whether the model asks the client to search, as it can only where the client has said that it does. */
  readonly isClientSearch: boolean;
  /** Whether the client has searched before, and sends what it found. */
  readonly hasSearched?: boolean;
  /** Whether a message brings blocks with its start, as after a program that ran on its own. */
  readonly hasContentAtStart: boolean;
}

/** A file that can't be replayed. */
export interface NotReplayed {
  readonly name: string;
  /** Undefined if it is not known what the file is. */
  readonly reason: string | undefined;
}

export interface Recordings {
  readonly recordings: readonly Recording[];
  readonly notReplayed: readonly NotReplayed[];
}

/** Reads all recordings below a folder: `NAME.json` is a body, `NAME.chunks.txt` has one event a line. */
export function readRecordings(folder: string): Recordings {
  const read = readFiles(folder);
  return {
    recordings: read.flatMap((one) => ('dialect' in one ? [one] : [])),
    notReplayed: read.flatMap((one) => ('reason' in one ? [one] : [])),
  };
}

function readFiles(folder: string): readonly (Recording | NotReplayed)[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.json') || path.endsWith('.chunks.txt'))
    .sort()
    .flatMap((path) => {
      const isStream = basename(path).endsWith('.chunks.txt');
      const text = readFileSync(path, 'utf8');
      const lines = isStream ? text.split('\n').filter((line) => line.trim() !== '') : [text];
      const responses = isStream ? splitResponses(lines.flatMap(parseLine)) : [lines.flatMap(parseLine)];
      return responses.map((parts, index) => {
        const name = `${relative(folder, path)}${index === 0 ? '' : ` (${index + 1})`}`;
        const dialect = dialectOf(parts);
        if (dialect === undefined) return { name, reason: reasonFor(parts) };
        return {
          ...{ name, dialect, isStream, parts, calledTools: [...namesIn(parts)] },
          ...{ isClientSearch: isClientSearch(parts), hasContentAtStart: hasContentAtStart(parts) },
          ...(isError(parts) ? { status: STATUSES[String(errorIn(parts).type)] ?? 400 } : {}),
        };
      });
    });
}

/** Some files hold the streams of several steps, one after the other. */
function splitResponses(parts: readonly JsonRecord[]): readonly (readonly JsonRecord[])[] {
  const starts = parts.flatMap(({ type }, index) =>
    type === 'response.created' || (type === 'message_start' && parts[index - 1]?.type !== 'message_start')
      ? [index]
      : [],
  );
  if (starts.length < 2) return [parts];
  return starts.map((start, index) => parts.slice(start, starts[index + 1]));
}

/** A line that was cut off in the middle is left out. */
function parseLine(line: string): readonly JsonRecord[] {
  try {
    return [JSON.parse(line) as JsonRecord];
  } catch {
    return [];
  }
}

/** What a host sends for these parts. */
export interface HostAnswer {
  /** @default 200 */
  readonly status?: number | undefined;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

export function answerWith(dialect: RecordedDialect, parts: readonly JsonRecord[], isStream: boolean): HostAnswer {
  if (!isStream) return { contentType: 'application/json', body: JSON.stringify(parts[0]) };
  if (dialect === 'bedrock') return { contentType: 'application/vnd.amazon.eventstream', body: eventStream(parts) };
  const named = dialect === 'anthropic' || dialect === 'openai-responses';
  const events = parts.map((part) => `${named ? `event: ${part.type}\n` : ''}data: ${JSON.stringify(part)}\n\n`);
  const end = dialect === 'openai-chat' ? 'data: [DONE]\n\n' : '';
  return { contentType: 'text/event-stream', body: `${events.join('')}${end}` };
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function dialectOf(parts: readonly JsonRecord[]): RecordedDialect | undefined {
  const [first = {}] = parts;
  if (first.type === 'message' || first.type === 'message_start') return 'anthropic';
  if (Array.isArray(first.choices)) return 'openai-chat';
  if (first.object === 'response' || isResponseEvent(first)) return 'openai-responses';
  if (Array.isArray(first.candidates)) return 'gemini';
  if (first.object === 'interaction' || isRecord(first.interaction)) return 'interactions';
  if (isError(parts)) return first.type === 'error' ? 'anthropic' : 'openai-responses';
  if (isRecord(first.output) || first.messageStart !== undefined) return 'bedrock';
  return Object.keys(first).some((key) => key.startsWith('contentBlock')) ? 'bedrock' : undefined;
}

/** A body that is nothing but an error, as Anthropic and OpenAI send it. */
function isError([first = {}]: readonly JsonRecord[]): boolean {
  return isRecord(first.error) && typeof first.error.message === 'string' && typeof first.error.type === 'string';
}

function errorIn([first = {}]: readonly JsonRecord[]): JsonRecord {
  return isRecord(first.error) ? first.error : {};
}

/** The recordings of errors lack their status. */
const STATUSES: Readonly<Record<string, number>> = {
  insufficient_quota: 429,
  rate_limit_error: 429,
  overloaded_error: 529,
  api_error: 500,
};

/** What a file is that no model has answered with: tools have no part in it. */
function reasonFor([first]: readonly JsonRecord[]): string | undefined {
  if (first === undefined) return 'it is empty';
  if (Array.isArray(first.results)) return 'a reranking';
  if (Array.isArray(first.segments) || typeof first.body === 'string') return 'a transcription';
  if (Array.isArray(first.data) && first.output_format !== undefined) return 'a generated image';
  if (first.object === 'skill') return 'an uploaded skill';
  return first.type === 'session.created' ? 'a live session over a WebSocket' : undefined;
}

function isResponseEvent({ type }: JsonRecord): boolean {
  return typeof type === 'string' && type.startsWith('response.');
}

function isClientSearch(parts: readonly JsonRecord[]): boolean {
  const outputs = parts.flatMap(({ output, item }) => [output, item].flat());
  return outputs.some((item) => isRecord(item) && item.type === 'tool_search_call' && item.execution === 'client');
}

function hasContentAtStart([first = {}]: readonly JsonRecord[]): boolean {
  const { message } = first;
  return isRecord(message) && Array.isArray(message.content) && message.content.length > 0;
}

/** Names of the functions that the client would have to run. */
function namesIn(value: unknown, names: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const member of value) namesIn(member, names);
  if (!isRecord(value)) return names;
  const called = [
    value.type === 'tool_use' || value.type === 'function_call' || value.type === 'custom_tool_call'
      ? value
      : undefined,
    value.function,
    value.functionCall,
    value.toolUse,
  ];
  for (const call of called) if (isRecord(call) && typeof call.name === 'string') names.add(call.name);
  for (const [key, member] of Object.entries(value)) if (key !== 'tools') namesIn(member, names);
  return names;
}

function eventStream(parts: readonly JsonRecord[]): Uint8Array {
  const codec = new EventStreamCodec(toUtf8, fromUtf8);
  return Buffer.concat(
    parts.flatMap((part) =>
      Object.entries(part).map(([type, value]) =>
        codec.encode({
          headers: {
            ':message-type': { type: 'string', value: 'event' },
            ':event-type': { type: 'string', value: type },
          },
          body: fromUtf8(JSON.stringify(value)),
        }),
      ),
    ),
  );
}
