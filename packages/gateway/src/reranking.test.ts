import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openStore, type Store } from '@quartermaster/host/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './configured-gateway.fixture.ts';
import { createGateway } from './create-gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { favouringEmbedder, foundIn, isTool, LETTERS, RERANKING, SEARCH_LETTERS } from './reranking.fixture.ts';
import { runningGateway } from './running-gateway.fixture.ts';
import { message, scriptedUpstreams } from './scripted-upstream.fixture.ts';
import { ASK, BM25 } from './weather-request.fixture.ts';

const QUESTION = { ...ASK, tools: [BM25, ...LETTERS] };

/** A gateway whose model searches once in every response. */
async function setUp(options: Partial<GatewayOptions> = {}) {
  const round = [message([SEARCH_LETTERS], 'tool_use'), message([{ text: 'Ok.' }], 'end_turn')];
  const upstreams = scriptedUpstreams({ anthropic: [...round, ...round, ...round] });
  const gateway = await runningGateway({ upstreams, search: RERANKING, ...options });
  return {
    ...gateway,
    find: async () => foundIn((await gateway.anthropic.messages.create(QUESTION)).content),
    metrics: async () => (await fetch(`${gateway.url}/metrics`)).text(),
  };
}

async function openFile(path: string): Promise<Store> {
  const store = await openStore({ path });
  onTestFinished(() => store.close());
  return store;
}

describe('a gateway with the engine hybrid+reranker', () => {
  it('answers in the order of the reranker', async () => {
    const embedder = favouringEmbedder('post letter');
    const first = await setUp({ search: { ...RERANKING, engine: 'hybrid' }, reranker: { embedder } });
    expect((await first.find())[0]).toBe('send_mail');
    expect(embedder.texts).toEqual([]);
    const both = await setUp({ reranker: { embedder } });
    expect((await both.find())[0]).toBe('post_letter');
    expect(await both.metrics()).not.toContain('quartermaster_reranker_failures_total{');
  });

  it('keeps vectors in the store, so that the next process embeds no tool again', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const embedders = [favouringEmbedder('post letter'), favouringEmbedder('post letter')] as const;
    for (const embedder of embedders) {
      const store = await openFile(path);
      const { find, stop } = await setUp({ store, reranker: { embedder } });
      expect((await find())[0]).toBe('post_letter');
      await stop();
      await store.close();
    }
    const sentences = embedders[0].texts.filter(isTool);
    expect(sentences).toHaveLength(3);
    expect(embedders[1].texts).toEqual([SEARCH_LETTERS.input.query]);
    const hashes = sentences.map((sentence) => createHash('sha256').update(sentence).digest('hex'));
    const kept = await (await openFile(path)).vectors.get('favouring', hashes);
    expect(kept.get(hashes.at(-1) ?? '')).toEqual(
      new Uint8Array(Float32Array.of(...vectorOf(sentences.at(-1))).buffer),
    );
    expect(kept.size).toBe(3);
  });

  it('answers without the reranker if it fails, and reports that: always in the metrics, seldom in the log', async () => {
    const embedder = favouringEmbedder('post letter');
    embedder.hold = () => Promise.reject(new Error(`could not read ${SEARCH_LETTERS.input.query}`));
    const { find, metrics, log } = await setUp({ reranker: { embedder } });
    expect((await find())[0]).toBe('send_mail');
    expect((await find())[0]).toBe('send_mail');
    expect(await metrics()).toContain('quartermaster_reranker_failures_total{kind="fallback"} 2\n');
    const told = log.filter(({ event }) => event === 'work-fail');
    expect(told).toMatchObject([{ level: 'warn', work: 'reranker', kind: 'fallback', times: 1, error: 'Error' }]);
    expect(JSON.stringify(told)).not.toContain(SEARCH_LETTERS.input.query);
  });

  it('continues if the store fails, and reports that', async () => {
    const whole = await openFile(':memory:');
    const fail = () => Promise.reject(new Error('disk full'));
    const store = { ...whole, vectors: { ...whole.vectors, get: fail, put: fail } };
    const embedder = favouringEmbedder('post letter');
    const { find, metrics, log } = await setUp({ store, reranker: { embedder } });
    expect((await find())[0]).toBe('post_letter');
    expect(await metrics()).toContain('quartermaster_reranker_failures_total{kind="store-failed"} 2\n');
    expect(log.filter(({ event }) => event === 'work-fail')).toMatchObject([{ kind: 'store-failed', times: 1 }]);
  });

  it('embeds nothing any more once it has closed', async () => {
    const embedder = favouringEmbedder('post letter');
    const { find, stop, log } = await setUp({ reranker: { embedder, timeoutMs: 1 } });
    embedder.hold = () => new Promise(() => undefined);
    expect((await find())[0]).toBe('send_mail');
    await stop();
    expect(embedder.signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(log.filter(({ event }) => event === 'work-fail')).toMatchObject([
      { kind: 'fallback', reason: 'The reranker took longer than 1 ms' },
    ]);
  });

  it('is not made without a model for it', () => {
    const options = { upstreams: scriptedUpstreams({}), workerUrl: false, search: RERANKING } as const;
    expect(() => createGateway(options)).toThrow('search.engine is hybrid+reranker, but no reranker was given');
  });
});

function vectorOf(sentence: string | undefined): readonly number[] {
  return sentence?.startsWith('post letter:') ? [1, 0] : [0, 1];
}
