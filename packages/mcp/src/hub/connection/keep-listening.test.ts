import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { manualClock } from '../../testing/manual-clock.fixture.ts';
import { until } from '../../testing/until.fixture.ts';
import { keepListening } from './keep-listening.ts';

/** A client whose server answers the requests to listen with these errors. */
function refused(errors: readonly Error[]) {
  let asked = 0;
  const client = {
    getServerCapabilities: () => ({ tools: { listChanged: true } }),
    listen: () => {
      asked += 1;
      return Promise.reject(errors[asked - 1] ?? new Error('asked too often'));
    },
  };
  return { client: client as unknown as Client, asked: () => asked };
}

it('asks a failed server again, unless it does not know the method', async () => {
  const clock = manualClock();
  const busy = new Error('503');
  const { client, asked } = refused([
    busy,
    busy,
    new ProtocolError(ProtocolErrorCode.MethodNotFound, 'unknown method'),
  ]);
  const listening = keepListening(client, { clock, onNoise: () => {}, onMissed: () => {} });
  for (const pause of [1_000, 2_000]) {
    await until(() => clock.pending.includes(pause));
    clock.advance(pause);
  }
  await until(() => asked() === 3);
  await new Promise(setImmediate);
  expect(clock.pending).toEqual([]);
  listening.close();
});
