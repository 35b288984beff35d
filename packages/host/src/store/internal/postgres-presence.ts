import { Client } from 'pg';
import type { Presence } from './sql.ts';

/** Any number that no other program on the same server is likely to use for its own lock. */
const PRESENCE_LOCK = 712_884_620;

/** How soon a lost connection is replaced. Without one, others could consider this process dead. */
const RECONNECT_MS = 1_000;

/**
 * Every worker holds a shared lock on its own connection as long as it lives; the server releases it when the process
 * dies. A process that can get it exclusively is alone. Poolers that share connections between sessions must not be in between.
 */
export function postgresPresence(url: string, timeoutMs: number): Presence {
  let isClosed = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<Client> {
    const fresh = new Client({
      ...{ connectionString: url, application_name: 'quartermaster-presence', keepAlive: true },
      ...{ connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs },
    });
    fresh.on('error', () => undefined);
    fresh.once('end', reconnectLater);
    await fresh.connect();
    client = fresh;
    return fresh;
  }

  function reconnectLater(): void {
    client = undefined;
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      connect()
        .then((fresh) => fresh.query(LOCK_SHARED))
        .catch(reconnectLater);
    }, RECONNECT_MS).unref();
  }

  return {
    async enlist(whenAlone) {
      const held = await connect();
      const { rows } = await held.query<{ is_alone: boolean }>(TRY_LOCK);
      const isAlone = rows[0]?.is_alone === true;
      if (isAlone) await whenAlone();
      await held.query(LOCK_SHARED);
      if (isAlone) await held.query(UNLOCK);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}

const KEY = `${PRESENCE_LOCK}, hashtext(current_schema())`;
const TRY_LOCK = `SELECT pg_try_advisory_lock(${KEY}) AS is_alone`;
const LOCK_SHARED = `SELECT pg_advisory_lock_shared(${KEY})`;
const UNLOCK = `SELECT pg_advisory_unlock(${KEY})`;
