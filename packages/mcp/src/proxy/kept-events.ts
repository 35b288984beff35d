import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** The last events of a session's streams, until the session ends. */
export interface SessionEvents extends EventStore {
  close(): void;
}

interface KeptEvent {
  readonly session: object;
  readonly stream: string;
  readonly text: string;
}

/** For all sessions together. Longer events are not kept. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_EVENTS = 20_000;

/**
 * The latest events, so that a client whose connection broke can resume its stream: otherwise an undelivered answer would be
 * lost. The oldest events of all sessions are dropped first.
 */
export function createKeptEvents(maxBytes: number = MOST_BYTES): { forSession(): SessionEvents } {
  const kept = new Map<string, KeptEvent>();
  let bytes = 0;
  let count = 0;
  const forget = (id: string): void => {
    bytes -= kept.get(id)?.text.length ?? 0;
    kept.delete(id);
  };
  return {
    forSession() {
      const session = {};
      const own = (id: string): KeptEvent | undefined => {
        const event = kept.get(id);
        return event?.session === session ? event : undefined;
      };
      return {
        async storeEvent(stream, message) {
          count += 1;
          const id = String(count);
          const text = JSON.stringify(message);
          kept.set(id, { session, stream, text });
          bytes += text.length;
          for (const oldest of kept.keys()) {
            if (bytes <= maxBytes && kept.size <= MOST_EVENTS) break;
            forget(oldest);
          }
          return id;
        },
        getStreamIdForEventId: async (id) => own(id)?.stream,
        async replayEventsAfter(lastId, { send }) {
          const stream = own(lastId)?.stream ?? '';
          for (const [id, event] of kept) {
            const isNext = event.session === session && event.stream === stream && Number(id) > Number(lastId);
            // An event that only marks the start of a stream is not a message.
            if (isNext && event.text !== '{}') await send(id, JSON.parse(event.text) as JSONRPCMessage);
          }
          return stream;
        },
        close() {
          for (const [id, event] of kept) if (event.session === session) forget(id);
        },
      };
    },
  };
}
