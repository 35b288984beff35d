import { cutText } from '@quartermaster/core/internal';
import { WrittenRequest } from '@quartermaster/host/upstream';
import type { AskObserver } from '../exchange/index.ts';

/** The latest requests as sent to models, with the answers. In memory only, and without headers, so without keys. */
export interface WireLog extends AskObserver {
  /** Each call to a model for this request, in order. */
  read(requestId: string): readonly WireRound[] | undefined;
}

/** One call to a model. */
export interface WireRound {
  readonly atMs: number;
  readonly model: string;
  readonly upstream: string;
  readonly dialect: string;
  /** The request's body as JSON text. */
  readonly request: string;
  /** The whole response, or the parts of a stream, one per line. */
  readonly response: string;
  /** Whether one of them exceeds what is kept. */
  readonly isCut: boolean;
  readonly error?: string;
}

/** The limit of one body, and of all of them. The oldest request is dropped first. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_ROUNDS = 20;
const MOST_REQUESTS = 200;
const MOST_HELD = 64 * 1024 * 1024;

export function createWireLog(now: () => number): WireLog {
  const held = new Map<string, Held>();
  let size = 0;

  function hold(requestId: string, round: WireRound): void {
    const entry = held.get(requestId) ?? { rounds: [], size: 0 };
    if (entry.rounds.length >= MOST_ROUNDS) return;
    entry.rounds.push(round);
    const added = round.request.length + round.response.length;
    entry.size += added;
    size += added;
    held.delete(requestId);
    held.set(requestId, entry);
    while (held.size > MOST_REQUESTS || size > MOST_HELD) {
      const [oldest] = held;
      if (oldest === undefined || oldest[0] === requestId) return;
      held.delete(oldest[0]);
      size -= oldest[1].size;
    }
  }

  return {
    begin({ requestId, model, upstream, dialect, request }) {
      const atMs = now();
      const whole = request instanceof WrittenRequest ? request.start(MOST_CHARACTERS + 1) : JSON.stringify(request);
      const sent = cut(whole);
      const isRequestCut = sent.length < whole.length;
      let response = '';
      const add = (text: string): void => {
        if (response.length <= MOST_CHARACTERS) response += text;
      };
      return {
        onPart: (part) => add(`${JSON.stringify(part)}\n`),
        onWhole: (whole) => add(JSON.stringify(whole)),
        end(error) {
          const isCut = isRequestCut || response.length > MOST_CHARACTERS;
          hold(requestId, {
            ...{ atMs, model, upstream, dialect, isCut },
            request: sent,
            response: cut(response),
            ...(error === undefined ? {} : { error: cutText(String(error), MOST_ERROR) }),
          });
        },
      };
    },
    read: (requestId) => held.get(requestId)?.rounds,
  };
}

/** The beginning, as a separate string: a slice would keep the whole text in memory. */
function cut(text: string): string {
  return text.length <= MOST_CHARACTERS
    ? text
    : Buffer.from(text.slice(0, MOST_CHARACTERS), 'utf16le').toString('utf16le');
}

interface Held {
  readonly rounds: WireRound[];
  size: number;
}

const MOST_ERROR = 500;
