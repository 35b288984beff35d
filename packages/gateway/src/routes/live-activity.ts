import { every } from '@quartermaster/core/internal';
import type { RunningRequests } from '../events/index.ts';
import type { ActivityFollower } from '../insight/index.ts';
import type { OnEnd } from './model-routes.ts';

/** Records and changes of servers as they happen, and the running requests whenever they change. A client that reads too slowly misses some, and learns how many. */
export function liveActivity(options: {
  follow(told: Omit<ActivityFollower, 'owner'>): () => void;
  /** Checked twice a second. */
  running(): RunningRequests;
  readonly signal: AbortSignal;
  after(ms: number, act: () => void): () => void;
  /** Checked from time to time: whether the client may still read. */
  mayGoOn(): Promise<boolean>;
  readonly onEnd: OnEnd;
}): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let missed = 0;
  let stop: () => void = () => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        const ping = (): void => {
          if ((controller.desiredSize ?? 0) > 0) send(': ping\n\n');
          // A failing store says nothing about the key.
          options.mayGoOn().then(
            (may) => (may ? undefined : end()),
            () => undefined,
          );
        };
        // Polled from here: a request costs nothing more for being watched.
        let shown = NOTHING_RUNS;
        const look = (): void => {
          const { nowMs, ...list } = options.running();
          const now = JSON.stringify(list);
          // A slow client needs only the latest list.
          if (now !== shown && (controller.desiredSize ?? 0) > 0) {
            shown = now;
            send(`event: running\ndata: ${JSON.stringify({ nowMs, ...list })}\n\n`);
          }
        };
        const tell = (event: string, data: object): void => {
          if ((controller.desiredSize ?? 0) <= 0) {
            missed += 1;
            return;
          }
          if (missed > 0) send(`event: missed\ndata: ${missed}\n\n`);
          missed = 0;
          send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        };
        const unfollow = options.follow({
          onRecord: (record) => tell('request', record),
          onNotice: (event) => tell('server', event),
        });
        const repeated = [every(options, PING_MS, ping), every(options, LOOK_MS, look)];
        let isOver = false;
        const end = (): void => {
          if (isOver) return;
          stop();
          controller.close();
        };
        stop = () => {
          stop = () => undefined;
          isOver = true;
          // A stream that its reader has left can't be closed.
          options.signal.removeEventListener('abort', end);
          for (const cancel of repeated) cancel();
          unfollow();
          options.onEnd();
        };
        options.signal.addEventListener('abort', end, { once: true });
        send(': live\n\n');
        look();
      },
      cancel() {
        stop();
      },
    },
    { highWaterMark: MOST_WAITING },
  );
}

const PING_MS = 15_000;
const LOOK_MS = 500;
const NOTHING_RUNS = JSON.stringify({ total: 0, data: [] });
const MOST_WAITING = 500;
