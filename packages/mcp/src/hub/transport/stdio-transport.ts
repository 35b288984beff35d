import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  type JSONRPCMessage,
  type RequestId,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { createJsonMeter, describeValues, LIST_FACTOR, MESSAGE_VALUES } from '../../json-meter.ts';
import { findAnswerId } from './find-answer-id.ts';
import { createLineReader, type LongLine } from './line-reader.ts';
import { errorAnswer, parseMessage } from './parse-message.ts';
import { endGroup, type ProcessGroupOptions, spawnGroup } from './process-group.ts';

export interface StdioTransportOptions extends ProcessGroupOptions {
  /** How long its processes may take to exit after SIGTERM. @default 2_000 */
  readonly graceMs?: number;
  /** The longest accepted message. @default 32 MiB */
  readonly maxLineBytes?: number;
  /** How many JSON values a message may have, an answer with a list excepted. @default 200_000 */
  readonly maxValues?: number | undefined;
  /** Output on its standard output that is not a message. */
  readonly onNoise?: (text: string) => void;
  /** What it writes to its standard error, for people. */
  readonly onStderr?: (text: string) => void;
}

const STDIO_DEFAULTS = { graceMs: 2_000, maxLineBytes: 32 * 1024 * 1024 };

const NOISE_LENGTH = 200;
const END_LENGTH = 200;
const VALUES_PER_BYTE = 2.5;

/** How long messages are handled before others get a turn: a server may send thousands at once. */
const TURN_MS = 5;

/**
 * A server's process as a transport. Unlike the SDK's, it leads a process group that is ended as a whole, passes on no more of our
 * environment than it is given, and treats text and foreign JSON on standard output as noise between messages.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: StdioTransportOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #ending: Promise<void> | undefined;
  #delivered: Promise<void> = Promise.resolve();
  /** When the messages that are handled now began to be. */
  #turn = 0;
  /** Requests for lists that have no answer yet. */
  readonly #lists = new Set<unknown>();

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    const { onStderr } = this.#options;
    const child = spawnGroup(this.#options);
    this.#child = child;
    const read = createLineReader({
      maxLineBytes: this.#options.maxLineBytes ?? STDIO_DEFAULTS.maxLineBytes,
      onLine: (line) => this.#take(line),
      onOverflow: (line) => this.#passOver(line),
    });
    child.stdout.on('data', (chunk: Buffer) => {
      read(chunk);
      // What a server sends waits in its pipe while what came before is handled.
      child.stdout.pause();
      void this.#delivered.then(() => child.stdout.resume());
    });
    child.stderr.on('data', (chunk: Buffer) => onStderr?.(chunk.toString('utf8')));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      // `exit`, not `close`: a grandchild that keeps the pipes open must not delay us.
      child.once('exit', () => {
        void this.close();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message && message.method.endsWith('/list')) this.#lists.add(message.id);
    const stdin = this.#child?.stdin;
    const ended = new SdkError(SdkErrorCode.ConnectionClosed, 'The server has ended');
    if (stdin === undefined || !stdin.writable) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      // Whatever the error is called, a pipe that accepts no data has lost its reader.
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(ended);
      });
    });
  }

  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#child !== undefined) await endGroup(this.#child, this.#options.graceMs ?? STDIO_DEFAULTS.graceMs);
    this.onclose?.();
  }

  #take(line: string): void {
    const maxValues = this.#options.maxValues ?? MESSAGE_VALUES;
    // Each value has a byte at least, and each new name four.
    if (line.length > maxValues / VALUES_PER_BYTE && this.#isTooMuch(line, maxValues)) return;
    const message = parseMessage(line);
    if (message !== undefined && !('method' in message)) this.#lists.delete(message.id);
    if (message === undefined) this.#options.onNoise?.(line.slice(0, NOISE_LENGTH));
    else this.#deliver(message);
  }

  /** Fails the request whose answer would take too long to parse. */
  #isTooMuch(line: string, maxValues: number): boolean {
    const { values } = createJsonMeter().add(Buffer.from(line));
    if (values <= maxValues) return false;
    const id = findAnswerId({ head: line.slice(0, END_LENGTH), tail: line.slice(-END_LENGTH) });
    const most = this.#lists.has(id) ? maxValues * LIST_FACTOR : maxValues;
    if (values <= most) return false;
    this.#options.onNoise?.(`a message that ${describeValues(most)}`);
    this.#lists.delete(id);
    this.#refuse(id, describeValues(most));
    return true;
  }

  /**
   * One after the other: the SDK handles a notification a moment later than a result, so the last progress would arrive too late
   * if a chunk holds both.
   */
  #deliver(message: JSONRPCMessage): void {
    this.#delivered = this.#delivered
      .then(() => this.#takeTurns())
      .then(() => this.onmessage?.(message))
      // The SDK quotes answers that no one waits for, and fails on one that is nested too deeply. The next message still counts.
      .catch((error: Error) => this.onerror?.(error));
  }

  /** Lets others have a turn once messages have been handled for a while. */
  #takeTurns(): Promise<void> | undefined {
    if (performance.now() - this.#turn < TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = performance.now();
        resolve();
      });
    });
  }

  /** Fails the waiting request, if its id can be found without reading the whole line. */
  #passOver(line: LongLine): void {
    const { maxLineBytes = STDIO_DEFAULTS.maxLineBytes } = this.#options;
    this.#options.onNoise?.(`a message of ${line.bytes} bytes, more than ${maxLineBytes}`);
    this.#refuse(findAnswerId(line), `has ${line.bytes} bytes, more than ${maxLineBytes}`);
  }

  #refuse(id: RequestId | undefined, excess: string): void {
    if (id !== undefined) this.#deliver(errorAnswer(id, `The server's answer ${excess}; ask for less at once`));
  }
}
