import { cutText } from '@quartermaster/core/internal';

/** What a gateway tells of its work. No field ever holds content of a request or a response, or a secret. */
export interface Logger {
  log(entry: LogEntry): void;
}

/** One line of the log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: 'request-end' | 'request-fail' | 'batch-item-end' | 'work-fail';
  readonly requestId?: string;
  readonly [fact: string]: string | number | boolean | undefined;
}

export const NO_LOGGER: Logger = { log: () => undefined };

/** One line of JSON for each entry. A client chooses the model's name, so no fact is longer than a line should be. */
export function createLineLogger(write: (line: string) => void): Logger {
  return { log: (entry) => write(`${JSON.stringify({ time: new Date().toISOString(), ...entry }, cutFact)}\n`) };
}

/** More than the place of an error needs. */
const MOST_CHARACTERS = 500;

function cutFact(_: string, fact: unknown): unknown {
  return typeof fact === 'string' ? cutText(fact, MOST_CHARACTERS) : fact;
}
