import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import { loadReranker } from './load-reranker.ts';

describe('loadReranker', () => {
  const loading = loadReranker();
  const embed = async (...values: string[]): Promise<readonly (readonly number[])[]> => {
    const reranker = (await loading) as Embedder;
    return (await reranker.doEmbed({ values })).embeddings;
  };
  const dot = (left: readonly number[] = [], right: readonly number[] = []): number => {
    return left.reduce((sum, component, i) => sum + component * (right[i] ?? 0), 0);
  };

  it('fits into 25 MB', () => {
    expect(statSync(new URL('../model/tools-minilm-v5.onnx', import.meta.url)).size).toBeLessThanOrEqual(25_000_000);
  });

  it.each([
    ['let everybody in the team know about the outage', 'send a message to a channel', 'read a file from disk'],
    ['will I need an umbrella tomorrow', 'weather forecast for a location', 'create an invoice'],
    ['give the customer his money back', 'refund a payment', 'list the branches of a repository'],
  ])('holds «%s» nearer to «%s» than to «%s»', async (request, near, far) => {
    const [asked, right, wrong] = await embed(request, near, far);
    expect(dot(asked, right)).toBeGreaterThan(dot(asked, wrong) + 0.1);
  });

  it('takes another model file, known by its content, and says so when there is none', async () => {
    const modelFile = fileURLToPath(new URL('../model/tools-minilm-v5.onnx', import.meta.url));
    expect((await loading)?.modelId).toBe('tools-minilm-v5');
    expect((await loading)?.fitModel?.cosine).toBeGreaterThan(0);
    const other = await loadReranker({ modelFile });
    expect(other?.modelId).toMatch(/^tools-minilm-v5:[0-9a-f]{16}$/);
    expect(other?.fitModel).toBeUndefined();
    await expect(loadReranker({ modelFile: `${modelFile}.missing` })).rejects.toThrow('ENOENT');
  });

  it('gives a text its unit vector, the same whatever else is in the call', async () => {
    const texts = ['refund a payment', '', 'x'.repeat(50_000), '发送消息', 'word '.repeat(300), ...'abcdefghijkl'];
    const together = await embed(...texts);
    for (const [at, text] of texts.entries()) {
      const [alone] = await embed(text);
      expect(together[at]).toHaveLength(384);
      expect(dot(together[at], together[at])).toBeCloseTo(1, 3);
      expect(together[at]).toEqual(alone);
    }
  });

  it('lets other work go on between texts', async () => {
    await loading;
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await embed(...'abcdefgh');
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it('stops between texts when aborted', async () => {
    const reranker = (await loading) as Embedder;
    const abortSignal = AbortSignal.abort(new Error('gone'));
    await expect(reranker.doEmbed({ values: ['a'], abortSignal })).rejects.toThrow('gone');
  });

  it.each([
    ['list the open pull requests of octo/hello-world', true],
    ['What is the weather like in Lisbon tomorrow?', true],
    ['user U4af49 team@example.org', true],
    ['erstelle eine Rechnung für den Kunden', false],
    ['crear una factura para el cliente', false],
    ['给团队发送消息', false],
    ['カレンダーに予定を追加して', false],
    ['purge cloudflare zone', true],
    ['kubectl rollout nginx ingress', true],
    ['rotate oauth webhook hmac secret', true],
    ['npm audit lockfile', true],
    ['apaga los usuarios', false],
    ['elimina il file', false],
    ['maak een nieuwe taak', false],
    ['liste os arquivos da pasta', false],
    ['Benutzer löschen', false],
    ["réserve une salle de réunion pour l'événement de demain", false],
    ['寝室のエアコンを26度にして', false],
    ['book a table at Café Müller for four people', true],
    ['42', true],
  ])('can read «%s»: %s', async (request, isReadable) => {
    expect((await loading)?.canRead(request)).toBe(isReadable);
  });

  it('is not there without a runtime, and says why', async () => {
    const reasons: string[] = [];
    const asked: string[] = [];
    const reranker = await loadReranker({
      onUnavailable: (reason) => reasons.push(reason),
      importModule: async (name) => {
        asked.push(name);
        if (name === 'onnxruntime-node') throw new Error("Cannot find package 'onnxruntime-node'\nstack");
        return { default: {} };
      },
    });
    expect(reranker).toBeUndefined();
    expect(asked).toEqual(['onnxruntime-node', 'onnxruntime-web']);
    expect(reasons).toEqual([
      "No ONNX runtime could be loaded (onnxruntime-node: Cannot find package 'onnxruntime-node'; onnxruntime-web has no InferenceSession and Tensor); install onnxruntime-node",
    ]);
  });
});
