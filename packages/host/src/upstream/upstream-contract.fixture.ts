import { UpstreamError } from '@quartermaster/core/errors';
import type { Read } from '@quartermaster/core/loop';
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, type DialectName, type DialectUpstream, type PartOf } from './dialect.ts';
import { SAMPLES } from './dialect-samples.fixture.ts';
import { INLINE_PLAN } from './inline-plan.fixture.ts';

/** What the other end does. */
export type Scenario =
  /** Says "Let me look." and calls `get_weather` with Oslo: 20 tokens in, 9 out. */
  | 'answers'
  /** Refuses with status 429, always. */
  | 'refuses'
  /** Says a little, then fails. */
  | 'breaks'
  /** Says a little, then nothing. */
  | 'hangs';

export interface UpstreamContract<D extends DialectName> {
  readonly name: string;
  readonly dialect: D;
  make(scenario: Scenario): Promise<UpstreamUnderTest<D>>;
}

interface UpstreamUnderTest<D extends DialectName> {
  readonly upstream: DialectUpstream<D>;
  readonly stop?: () => Promise<void>;
}

/** What every upstream promises, whatever stands behind it. */
export function describeUpstream<D extends DialectName>(contract: UpstreamContract<D>): void {
  const { dialect } = contract;
  const sample = SAMPLES[dialect];

  describe(`${contract.name} as an upstream of ${dialect}`, () => {
    const running: (() => Promise<void>)[] = [];
    const make = async (scenario: Scenario): Promise<DialectUpstream<D>> => {
      const { upstream, stop } = await contract.make(scenario);
      if (stop !== undefined) running.push(stop);
      return upstream;
    };
    afterEach(async () => {
      await Promise.all(running.splice(0).map((stop) => stop()));
    });
    const ask = (upstream: DialectUpstream<D>, signal = new AbortController().signal): AsyncIterable<PartOf<D>> =>
      upstream.stream(sample.request, signal);

    it('sends parts in a valid order', async () => {
      const parts = await collect(ask(await make('answers')));
      sample.expectOrder(parts);
    });

    it('sends parts that the real wire reads: a passed call, a close, nothing held', async () => {
      const reader = sample.wire.reader(() => false, INLINE_PLAN);
      const parts = await collect(ask(await make('answers')));
      const reads = [...parts.flatMap((part) => reader.read(part)), ...reader.end()];
      const of = (kind: Read<unknown>['kind']) => reads.filter((read) => read.kind === kind);
      expect(of('passed')).toEqual([{ kind: 'passed', name: 'get_weather' }]);
      expect(of('close').length).toBeGreaterThan(0);
      expect([...of('held'), ...of('cut')]).toEqual([]);
    });

    it('sends a call that the real wire can hold, complete', async () => {
      const reader = sample.wire.reader((name) => name === 'get_weather', INLINE_PLAN);
      const parts = await collect(ask(await make('answers')));
      const reads = [...parts.flatMap((part) => reader.read(part)), ...reader.end()];
      const held = reads.flatMap((read) => (read.kind === 'held' ? [read.call] : []));
      expect(held).toMatchObject([{ name: 'get_weather', arguments: { city: 'Oslo' } }]);
    });

    it('returns text, calls, the stop reason and usage, streamed and whole', async () => {
      const streamed = DIALECTS[dialect].whole.fromParts(await collect(ask(await make('answers'))));
      const whole = await (await make('answers')).whole(sample.request, new AbortController().signal);
      for (const response of [streamed, whole]) {
        expect(sample.received(response)).toEqual({
          text: 'Let me look.',
          calls: [{ id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }],
          ending: 'calls',
          tokens: { input: 20, output: 9 },
        });
      }
    });

    it('throws an error before the first part with its status and sends nothing', async () => {
      const upstream = await make('refuses');
      const parts: PartOf<D>[] = [];
      const error = await collect(ask(upstream), parts).catch((thrown: unknown) => thrown);
      expect(parts).toEqual([]);
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error).toMatchObject({ status: 429, type: 'rate_limit_error', isRetryable: true });
      const whole = await make('refuses');
      await expect(whole.whole(sample.request, new AbortController().signal)).rejects.toMatchObject({ status: 429 });
    });

    it('throws an error after the first part when earlier parts have been sent', async () => {
      const parts: PartOf<D>[] = [];
      const error = await collect(ask(await make('breaks')), parts).catch((thrown: unknown) => thrown);
      expect(parts.length).toBeGreaterThan(0);
      expect(error).toBeInstanceOf(UpstreamError);
    });

    it('throws the reason of a signal that has aborted before', async () => {
      const signal = AbortSignal.abort(new Error('gone'));
      await expect(collect(ask(await make('answers'), signal))).rejects.toThrow('gone');
      await expect((await make('answers')).whole(sample.request, signal)).rejects.toThrow('gone');
    });

    it('throws the reason of a signal that aborts midway, without waiting', async () => {
      const controller = new AbortController();
      const iterator = ask(await make('hangs'), controller.signal)[Symbol.asyncIterator]();
      await iterator.next();
      const rest = (async () => {
        for (;;) if ((await iterator.next()).done === true) return;
      })();
      controller.abort(new Error('gone'));
      await expect(rest).rejects.toThrow('gone');
    });

    it('ends when its reader stops reading', async () => {
      for await (const part of ask(await make('answers'))) {
        expect(part).toBeDefined();
        break;
      }
    });
  });
}

export async function collect<Part>(source: AsyncIterable<Part>, parts: Part[] = []): Promise<readonly Part[]> {
  for await (const part of source) parts.push(part);
  return parts;
}
