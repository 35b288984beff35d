import { write } from '../command-io.ts';
import type { CommandContext, WatchFlags } from '../commands/index.ts';
import { UnavailableError } from '../input-error.ts';
import { createGatewayClient } from './gateway-client.ts';
import { readEvents } from './read-events.ts';
import { renderRecord } from './render-record.ts';

/** Shows requests as the gateway answers them, until it is stopped or has shown as many as asked for. */
export async function watchGateway(flags: WatchFlags, { io, terminal }: CommandContext): Promise<void> {
  const client = createGatewayClient(flags, io.env);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    const { body } = await client.open('/v1/activity/live', { signal: stop.signal });
    await write(io.stderr, `Watching ${client.url}; Ctrl+C stops.\n`);
    let left = flags.limit ?? Number.POSITIVE_INFINITY;
    for await (const { event, data } of readEvents(body ?? [])) {
      if (event === 'missed') await write(io.stderr, `${Number(data)} requests were not shown: too many at once.\n`);
      if (event !== 'request') continue;
      const shown = flags.json === true ? data : renderRecord(JSON.parse(data), terminal);
      await write(io.stdout, `${shown}\n`);
      left -= 1;
      if (left <= 0) return;
    }
    throw new UnavailableError(`${client.url} closed the connection.`);
  } catch (error) {
    if (stop.signal.aborted) return;
    if (error instanceof TypeError || error instanceof SyntaxError) {
      throw new UnavailableError(`The connection to ${client.url} was lost: ${error.message}`);
    }
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
    stop.abort();
  }
}
