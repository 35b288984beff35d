import { cutText } from '@quartermaster/core/internal';

/** What a gateway logs. No field ever contains content of a request or a response, or a secret. */
export interface Logger {
  log(entry: LogEntry): void;
  /** Whether it accepts entries of the level `debug`: otherwise they are not created. @default false */
  readonly isDebugging?: boolean;
}

/** From the most to the least verbose. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How much is logged: entries of this level and above. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of the log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event:
    | ('request-end' | 'request-fail' | 'batch-item-end' | 'work-fail')
    | ('decision' | 'search' | 'load' | 'refusal' | 'server' | 'definition' | 'fallback');
  readonly requestId?: string;
  readonly [fact: string]: string | number | boolean | undefined;
}

export const NO_LOGGER: Logger = { log: () => undefined };

/** Drops entries below a level. */
export function atLevel(logger: Logger, least: LogLevel): Logger {
  const from = LOG_LEVELS.indexOf(least);
  return {
    log(entry) {
      if (LOG_LEVELS.indexOf(entry.level) >= from) logger.log(entry);
    },
    isDebugging: least === 'debug',
  };
}

/** One line of JSON per entry. A client chooses the model's name, so facts are limited in length. */
export function createLineLogger(write: (line: string) => void): Logger {
  return { log: (entry) => write(`${JSON.stringify({ time: new Date().toISOString(), ...entry }, cutFact)}\n`) };
}

/** More than the place of an error needs. */
const MOST_CHARACTERS = 500;

function cutFact(_: string, fact: unknown): unknown {
  return typeof fact === 'string' ? cutText(fact, MOST_CHARACTERS) : fact;
}
