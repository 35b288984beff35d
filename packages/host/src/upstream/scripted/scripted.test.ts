import { describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName } from '../dialect.ts';
import { SAMPLES } from '../dialect-samples.fixture.ts';
import { collect } from '../upstream-contract.fixture.ts';
import { scripted } from './scripted.ts';

const { signal } = new AbortController();
const NAMES = Object.keys(DIALECTS) as DialectName[];

describe.each(NAMES)('a script in %s', (dialect) => {
  const sample = SAMPLES[dialect];

  it('plays plain turns in order, with ids that differ, and keeps the requests', async () => {
    const upstream = scripted({
      dialect,
      turns: [{ text: 'First', calls: [{ name: 'a' }, { name: 'b', input: { x: 1 } }] }, { text: 'Last' }],
    });
    const parts = await collect(upstream.stream(sample.request as never, signal));
    sample.expectOrder(parts as never);
    const first = DIALECTS[dialect].whole.fromParts(parts as never);
    expect(sample.received(first as never)).toMatchObject({
      text: 'First',
      calls: [
        { id: 'call_1', name: 'a', input: {} },
        { id: 'call_2', name: 'b', input: { x: 1 } },
      ],
      ending: 'calls',
    });
    const last = await upstream.whole(sample.request as never, signal);
    expect(sample.received(last as never)).toMatchObject({ text: 'Last', calls: [], ending: 'done' });
    expect(upstream.requests).toEqual([sample.request, sample.request]);
  });

  it('fails if it has no turn left', async () => {
    const upstream = scripted({ dialect, turns: [] });
    await expect(upstream.whole(sample.request as never, signal)).rejects.toThrow('The script has no turn 1');
  });
});

it('ends as scripted', async () => {
  const upstream = scripted({ dialect: 'anthropic', turns: [{ text: 'Too lo', ending: 'length' }] });
  expect(await upstream.whole(SAMPLES.anthropic.request, signal)).toMatchObject({ stop_reason: 'max_tokens' });
});
