import { type Client, type McpSubscription, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Clock } from '@quartermaster/core/internal';
import { describeError } from '../../errors.ts';

export interface Listening {
  /** Follows exactly these resources from now on. */
  follow(uris: ReadonlySet<string>): Promise<void>;
  close(): void;
}

export interface ListeningOptions {
  readonly clock: Clock;
  readonly onNoise: (text: string) => void;
  /** Called for resources that may have changed while no stream was open. */
  readonly onMissed: (method: string, params: JsonObject) => void;
}

const LISTS = ['tools', 'prompts', 'resources'] as const;

const PAUSE_MS = { initial: 1_000, max: 60_000 };

/**
 * On the newer revision, changes are sent only to clients that listen, and only while that response lasts. One response at a time covers
 * everything that is wanted; when it ends, another is requested.
 */
export function keepListening(client: Client, { clock, onNoise, onMissed }: ListeningOptions): Listening {
  const capabilities = client.getServerCapabilities() ?? {};
  const lists = LISTS.filter((list) => capabilities[list]?.listChanged === true);
  const listFilter = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
  let uris: readonly string[] = [];
  let current: McpSubscription | undefined;
  let last: Promise<void> = Promise.resolve();
  let pauseMs = PAUSE_MS.initial;
  let isClosed = false;
  let cancel: () => void = () => {};

  const open = async (): Promise<void> => {
    if (isClosed) return;
    const filter = { ...listFilter, ...(uris.length === 0 ? {} : { resourceSubscriptions: [...uris] }) };
    const before = current;
    const wanted = Object.keys(filter).length > 0 ? await client.listen(filter) : undefined;
    current = wanted;
    // The new one first, so that no change is missed in between.
    await before?.close();
    void wanted?.closed.then((how) => {
      const honoured = Object.keys(wanted.honoredFilter).length > 0;
      if (how !== 'local' && honoured && current === wanted) listenAgain();
    });
  };
  const inTurn = (): Promise<void> => {
    last = last.catch(() => {}).then(open);
    return last;
  };
  const listenAgain = (): void => {
    if (isClosed) return;
    current = undefined;
    cancel = clock.after(pauseMs, () => {
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max);
      inTurn().then(tellMissed, tryLater);
    });
  };
  /** A server that does not know the method will not know it later either. */
  const tryLater = (error: unknown): void => {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return;
    listenAgain();
  };
  const tellMissed = (): void => {
    if (isClosed) return;
    pauseMs = PAUSE_MS.initial;
    for (const list of lists) onMissed(`notifications/${list}/list_changed`, {});
    for (const uri of uris) onMissed('notifications/resources/updated', { uri });
  };

  inTurn().catch((error: unknown) => {
    onNoise(describeError(error));
    tryLater(error);
  });
  return {
    async follow(wanted) {
      uris = [...wanted];
      await inTurn();
      const honoured = new Set(current?.honoredFilter.resourceSubscriptions ?? []);
      if (uris.every((uri) => honoured.has(uri))) return;
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'The server does not report changes to this resource');
    },
    close() {
      isClosed = true;
      cancel();
    },
  };
}
