import { describe, expect, it } from 'vitest';
import type { HistoryPiece } from './transcript.ts';
import { idsOfPieces, idsOfResponse } from './woven-history.ts';

const said = (text: string): HistoryPiece => ({ by: 'client', text });
const called = (...ids: string[]): HistoryPiece => ({ by: 'model', ids, text: '' });

describe('ids of the transcript', () => {
  it.each([
    'call_a1B2c3D4e5F6g7H8i9J0k1L2',
    'toolu_01A09q90qw90lq917835lq9',
    'chatcmpl-tool-5f0c9a1e7b3d4c2f8a6e1d0b9c8f7e6d',
    'call_0e8f9c1a-2b3c-4d5e-8f90-a1b2c3d4e5f6',
    'D681PevKs',
  ])('%s is found whatever was said before: no other call has it', (id) => {
    expect(idsOfPieces([said('Hello'), called(id)])).toEqual([[], [id]]);
    expect(idsOfPieces([called(id)])).toEqual([[id]]);
  });

  it.each(['call_0', 'call_abc', 'functions.create_calendar_event2:0', 'create_issue_1', 'tool_call_1234567890123456'])(
    '%s is found where the same was said before, and nowhere else',
    (id) => {
      const [, here] = idsOfPieces([said('Hello'), called(id)]);
      const [, elsewhere] = idsOfPieces([said('Goodbye'), called(id)]);
      expect(here).not.toEqual([id]);
      expect(here).not.toEqual(elsewhere);
      expect(idsOfResponse([said('Hello')], [{ ids: [id], text: '' }])).toEqual(here);
    },
  );

  it('a short id is found even if the client has trimmed the text next to it', () => {
    const [, kept] = idsOfPieces([said('Hello'), { by: 'model', ids: ['call_0'], text: ' Let me see.\n' }]);
    expect(idsOfPieces([said('Hello'), { by: 'model', ids: ['call_0'], text: 'Let me see.' }])[1]).toEqual(kept);
  });

  it('a short id is found even if the client has left out the unique one next to it', () => {
    const shown = { ids: ['fc_0e8f9c1a2b3c4d5e8f90a1b2c3d4e5f6', 'call_0'], text: '' };
    const [, bare] = idsOfPieces([said('Hello'), called('call_0')]);
    expect(idsOfResponse([said('Hello')], [shown])).toContain(bare?.[0]);
    expect(idsOfPieces([said('Hello'), { by: 'model', ...shown }])[1]).toContain(bare?.[0]);
  });

  it('a message without ids is found by its text and by what was said before', () => {
    const history = [
      said('Hello'),
      { by: 'model', ids: [], text: 'Hi' } as const,
      { by: 'none' } as const,
      said('More'),
    ];
    const kept = idsOfResponse(history, [{ ids: [], text: 'Done' }]);
    const found = idsOfPieces([...history, { by: 'model', ids: [], text: 'Done' }]);
    expect(kept).toEqual(found.at(-1));
    expect(kept).not.toEqual(idsOfResponse([said('Hello')], [{ ids: [], text: 'Done' }]));
  });

  it('instructions and earlier output of the model are ignored', () => {
    const shown = [{ ids: ['call_0'], text: '' }];
    const plain = idsOfResponse([said('Hello')], shown);
    expect(idsOfResponse([{ by: 'none' }, called('call_9'), said('Hello'), { by: 'none' }], shown)).toEqual(plain);
  });

  it('are found in time proportional to the history', () => {
    let reads = 0;
    const history = Array.from({ length: 1_000 }, (_, at) => (at % 3 === 0 ? ({ by: 'none' } as const) : said('x')));
    const counted = new Proxy(history, {
      get(target, key, receiver) {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(idsOfPieces(counted)).toEqual(idsOfPieces(history));
    expect(reads).toBeLessThan(10 * history.length);
  });

  it('of calls beside each other are found in time proportional to their number', () => {
    let reads = 0;
    const ids = Array.from({ length: 1_000 }, (_, at) => `call_${at}`);
    const counted = new Proxy(ids, {
      get(target, key, receiver) {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(idsOfPieces([said('Hello'), { by: 'model', ids: counted, text: '' }])[1]).toHaveLength(ids.length);
    expect(reads).toBeLessThan(20 * ids.length);
  });

  it('an id is never longer than a store has to take', () => {
    const long = `${'a1B2c3D4'.repeat(100)}`;
    for (const id of [long, `call:${long}`]) {
      const [ids] = idsOfPieces([called(id)]);
      expect(ids?.every((one) => one.length <= 256)).toBe(true);
    }
  });
});
