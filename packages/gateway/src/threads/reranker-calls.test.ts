import { createTool } from '@quartermaster/core/catalog';
import { type Compared, type SentenceReranker, toolSentence } from '@quartermaster/core/search';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remoteReranker, serveReranker } from './reranker-calls.ts';

const TOOLS = [
  createTool({ name: 'send_mail', description: 'Send a mail' }),
  createTool({
    name: 'odd',
    description: '\ud800 half a pair',
    schema: { type: 'object', properties: { ['__proto__']: {} } },
  }),
];

/** A stage on one side of a port, and the same as the other side knows it. */
function acrossPort(compare: SentenceReranker['compare']) {
  const asked: Parameters<SentenceReranker['compare']>[] = [];
  const facts = serveReranker({
    depth: 7,
    fitModel: { meaning: 1, bigrams: 0, cosine: 4, threshold: 5 },
    compare(...call) {
      asked.push(call);
      return compare(...call);
    },
  });
  onTestFinished(() => facts.port.close());
  return { ...facts, asked, remote: remoteReranker(facts) };
}

describe('a reranker on another thread', () => {
  it('is asked for the sentences of tools, and gives what it gives there', async () => {
    const compared: Compared = { kind: 'compared', cosines: [Float32Array.of(0.5, -1), undefined] };
    const { remote, asked, fitModel } = acrossPort(async () => compared);
    const answer = await remote.compare([
      { text: 'mail', tools: TOOLS },
      { text: 'file', tools: TOOLS.slice(0, 1) },
    ]);
    expect(answer).toEqual(compared);
    expect(asked[0]?.[0]).toEqual([
      { text: 'mail', tools: TOOLS.map(toolSentence) },
      { text: 'file', tools: ['send mail: Send a mail'] },
    ]);
    expect(remote).toMatchObject({ depth: 7, fitModel });
  });

  it('falls back where it falls back there, whatever the cause was', async () => {
    const { remote } = acrossPort(async () => ({ kind: 'fallback', reason: 'broken', cause: () => undefined }));
    expect(await remote.compare([])).toEqual({ kind: 'fallback', reason: 'broken' });
  });

  it('falls back where the other side fails or is gone', async () => {
    const { remote, port } = acrossPort(() => Promise.reject(new Error('broken')));
    const reason = 'The reranker could not be asked';
    expect(await remote.compare([])).toMatchObject({ kind: 'fallback', reason, cause: { message: 'broken' } });
    port.close();
    expect(await remote.compare([])).toMatchObject({ kind: 'fallback', reason });
  });

  it('hears that nobody waits any more, and who does not wait is answered at once', async () => {
    const controller = new AbortController();
    let heard: (signal: AbortSignal | undefined) => void = () => undefined;
    const started = new Promise<AbortSignal | undefined>((resolve) => {
      heard = resolve;
    });
    const { remote } = acrossPort((_, signal) => {
      heard(signal);
      return new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    });
    const waiting = remote.compare([], controller.signal);
    const signal = await started;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await aborted;
    await expect(remote.compare([], controller.signal)).rejects.toThrow('gone');
  });

  it('no longer works for a worker that has ended', async () => {
    let heard: (signal: AbortSignal | undefined) => void = () => undefined;
    const started = new Promise<AbortSignal | undefined>((resolve) => {
      heard = resolve;
    });
    const { remote, port } = acrossPort((_, signal) => {
      heard(signal);
      return new Promise(() => undefined);
    });
    const waiting = remote.compare([]);
    const signal = await started;
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    port.close();
    expect((await waiting).kind).toBe('fallback');
    await aborted;
  });
});
