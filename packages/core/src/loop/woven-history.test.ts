import { describe, expect, it } from 'vitest';
import { createTranscriptCache, type Hidden, type TranscriptStore } from './transcript.ts';
import type { Wire } from './wire.ts';
import { weaveHistory } from './woven-history.ts';

interface Request {
  readonly said: string;
  readonly id: string;
  readonly woven?: unknown;
}

const ID = 'call_a1B2c3D4e5F6g7H8i9J0';
const REQUEST: Request = { said: 'Hello', id: ID };
const HIDDEN = { shown: [{ ids: [ID], text: '' }], calls: ['hidden'], content: { rounds: 1 } };

const wire = {
  dialect: 'small',
  transcript: {
    version: 1,
    pieces: ({ said, id }) => [
      { by: 'client', text: said },
      { by: 'model', ids: [id], text: '' },
    ],
    weave: (request, entries) => ({ ...request, woven: entries }),
  },
} satisfies Pick<Wire<Request, never>, 'dialect' | 'transcript'> as unknown as Wire<Request, never>;

function failing(store: Partial<TranscriptStore>): TranscriptStore {
  return {
    keep: async () => undefined,
    find: async () => new Map(),
    forget: async () => undefined,
    replace: async () => false,
    ...store,
  };
}

describe('weaveHistory', () => {
  it('weaves in what was kept of a response that comes back', async () => {
    const transcript = createTranscriptCache().storeFor('a');
    const before = await weaveHistory({ wire, request: REQUEST, transcript });
    expect(before.request).toBe(REQUEST);
    await before.keep(HIDDEN);
    const { request } = await weaveHistory({ wire, request: REQUEST, transcript });
    expect(request.woven).toEqual([{ pieces: [1], isAfter: false, content: { rounds: 1 } }]);
  });

  it('passes over an entry of another dialect, of another version, and of another response', async () => {
    const transcript = createTranscriptCache().storeFor('a');
    const good: Hidden = { id: ID, dialect: 'small', version: 1, calls: [], content: {} };
    for (const other of [{ dialect: 'other' }, { version: 2 }, { calls: [ID] }]) {
      await transcript.keep([ID], { ...good, ...other });
      expect((await weaveHistory({ wire, request: REQUEST, transcript })).request).toBe(REQUEST);
    }
    await transcript.keep([ID], good);
    expect((await weaveHistory({ wire, request: REQUEST, transcript })).request.woven).toBeDefined();
  });

  it.each<[string, Partial<TranscriptStore>]>([
    ['rejects', { find: () => Promise.reject(new Error('down')), keep: () => Promise.reject(new Error('down')) }],
    [
      'throws at once',
      {
        find() {
          throw new Error('down');
        },
        keep() {
          throw new Error('down');
        },
      },
    ],
    ['never answers', { find: () => new Promise(() => undefined), keep: () => new Promise(() => undefined) }],
    [
      'gives back nonsense',
      {
        find: async () => new Map([[ID, { id: ID, dialect: 'small', version: 1 } as Hidden]]),
        keep: () => Promise.reject(new Error('down')),
      },
    ],
  ])('serves the request unchanged if the store %s, and reports it', async (_, store) => {
    const errors: unknown[] = [];
    const history = await weaveHistory({
      ...{ wire, request: REQUEST, transcript: failing(store), transcriptWaitMs: 1 },
      onTranscriptError: (error) => errors.push(error),
    });
    expect(history.request).toBe(REQUEST);
    await history.keep(HIDDEN);
    expect(errors).toHaveLength(2);
  });

  it('stops waiting when the request is aborted', async () => {
    const controller = new AbortController();
    const transcript = failing({ find: () => new Promise(() => undefined) });
    const waiting = weaveHistory({
      wire,
      request: REQUEST,
      transcript,
      signal: controller.signal,
      transcriptWaitMs: 60_000,
    });
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
