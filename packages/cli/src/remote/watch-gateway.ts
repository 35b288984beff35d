import { print, write } from '../command-io.ts';
import type { CommandContext, GatewayFlags, JsonFlag } from '../commands/index.ts';
import { UnavailableError } from '../input-error.ts';
import { counted } from '../terminal/index.ts';
import { openGateway } from './gateway-client.ts';
import { renderRecord } from './render-record.ts';

interface WatchFlags extends GatewayFlags, JsonFlag {
  /** Stop after this many requests. */
  readonly limit?: number;
}

/** Shows requests as the gateway answers them, until it is stopped or has shown the requested number. */
export async function watchGateway(flags: WatchFlags, { io, terminal }: CommandContext): Promise<void> {
  const gateway = openGateway(flags, io.env);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  const say = (text: string): void => void write(io.stderr, text);
  try {
    await gateway.ask(async (client) => {
      let left = flags.limit ?? Number.POSITIVE_INFINITY;
      const records = client.follow({
        signal: stop.signal,
        onOpen: () => say(`Watching ${gateway.url}; Ctrl+C stops.\n`),
        onMissed: (count) => say(`${counted(count, 'request')} not shown: too many at once.\n`),
      });
      for await (const record of records) {
        await print(io, flags.json === true ? JSON.stringify(record) : renderRecord(record, terminal));
        left -= 1;
        if (left <= 0) return;
      }
      throw new UnavailableError(`${gateway.url} closed the connection.`);
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', onSignal);
    stop.abort();
  }
}
