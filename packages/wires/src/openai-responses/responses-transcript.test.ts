import { createTranscriptCache, resolveReferences, type TranscriptStore, weaveHistory } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { openaiResponsesWire } from './responses-dialect.ts';
import { itemsOf, type ResponsesItem, type ResponsesRequest } from './responses-shapes-2026-11.ts';
import { hiddenContent } from './responses-transcript.ts';

const UNIQUE = 'resp_0e8f9c1a2b3c4d5e8f90a1b2c3d4e5f6';
const SAID = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };

const USER = { role: 'user', content: 'Hi' };
const LONG = 'x'.repeat(300_000);

function contentOf(request: ResponsesRequest, id = UNIQUE) {
  const response = { id, object: 'response', status: 'completed', output: [SAID] };
  return hiddenContent({ items: [SAID], response, request, id });
}

/** The request after references to what was stored under this id were resolved. */
async function resolved(id: string, request: ResponsesRequest): Promise<ResponsesRequest> {
  const transcript = createTranscriptCache().storeFor('client');
  const content = contentOf({ input: 'Hi' }, id)?.response?.content ?? {};
  const { dialect } = openaiResponsesWire;
  await transcript.keep([id], { id, dialect, version: 1, calls: [], content });
  return resolveReferences({ wire: openaiResponsesWire, request, transcript });
}

describe('what is stored of a response', () => {
  it('is the history that it continues, apart from what its items are found by', () => {
    const { content, response } = contentOf({ input: 'Hi' }) ?? {};
    expect(response).toMatchObject({ id: UNIQUE, content: { output: [SAID], history: [{ content: 'Hi' }, SAID] } });
    expect(content).toMatchObject({ output: [SAID] });
    expect(content).not.toHaveProperty('history');
  });

  it('has no history if only the host knows the beginning', () => {
    for (const continued of [{ previous_response_id: 'resp_of_the_host' }, { conversation: 'conv_of_the_host' }]) {
      expect(contentOf({ input: 'Hi', ...continued })?.response?.content).not.toHaveProperty('history');
    }
  });

  it('is nothing that the client could refer to if it must not be stored', () => {
    expect(contentOf({ input: 'Hi', store: false })).toBeUndefined();
  });
});

describe('a conversation of long turns', () => {
  const [TURNS, TURN_LENGTH] = [40, 50_000];

  /** Each response continues the one before by its id. */
  async function converse(transcript: TranscriptStore, turns: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const asked = { input: `${turn}:`.padEnd(TURN_LENGTH, 'x'), ...previous(ids.at(-1)) };
      const request = await resolveReferences({ wire: openaiResponsesWire, request: asked, transcript });
      const history = await weaveHistory({ wire: openaiResponsesWire, request, asked, transcript });
      const id = `resp_${String(turn).padStart(4, '0')}e8f9c1a2b3c4d5e8f90a1b2c3d4e5f6`;
      const response = { id, object: 'response', status: 'completed', output: [SAID] };
      const hidden = hiddenContent({ items: [SAID], response, request: history.request, id });
      if (hidden !== undefined) await history.keep(hidden);
      ids.push(id);
    }
    return ids;
  }

  const previous = (id: string | undefined) => (id === undefined ? {} : { previous_response_id: id });

  async function itemsAfter(transcript: TranscriptStore, id: string | undefined): Promise<readonly ResponsesItem[]> {
    const asked: ResponsesRequest = { input: 'And now?', ...previous(id) };
    return itemsOf(await resolveReferences({ wire: openaiResponsesWire, request: asked, transcript }));
  }

  it('is stored once, and continued from any of its responses', async () => {
    const cache = createTranscriptCache({ maxBytes: 1e9 });
    const transcript = cache.storeFor('client');
    const ids = await converse(transcript, TURNS);
    // Each history has at most 256 KiB of its own.
    expect(cache.bytes).toBeLessThan(TURNS * 2 * 300 * 1024);
    for (const turn of [3, 20, TURNS - 1]) {
      const items = await itemsAfter(transcript, ids[turn]);
      const texts = items.map(({ role, content }) => (role === 'user' ? String(content).split(':', 1)[0] : 'said'));
      const read = Array.from({ length: turn + 1 }, (_, at) => [String(at), 'said']).flat();
      expect(texts).toEqual([...read, 'And now?']);
    }
  });

  it('can’t be continued if its beginning is no longer stored', async () => {
    const transcript = createTranscriptCache({ maxBytes: 1e9 }).storeFor('client');
    const ids = await converse(transcript, 12);
    await transcript.forget(ids.slice(0, 6));
    expect(await itemsAfter(transcript, ids.at(-1))).toMatchObject([{ content: 'And now?' }]);
  });

  it.each([
    ['a long question', { input: 'x'.repeat(900_000) }, true],
    ['one that is longer than a turn may be', { input: 'x'.repeat(1_100_000) }, false],
    ['a client that sends all of it each time', { input: [USER, SAID, { role: 'user', content: LONG }] }, false],
  ])('can be continued or not, from %s', async (_, asked, isContinued) => {
    const transcript = createTranscriptCache({ maxBytes: 1e9 }).storeFor('client');
    const history = await weaveHistory({ wire: openaiResponsesWire, request: asked, transcript });
    const hidden = contentOf(asked);
    if (hidden !== undefined) await history.keep(hidden);
    expect((await transcript.find([UNIQUE])).get(UNIQUE)?.content).toMatchObject({ output: [SAID] });
    const items = await itemsAfter(transcript, UNIQUE);
    expect(items.length > 1).toBe(isContinued);
  });

  it('ends where it is too long in all', async () => {
    const transcript = createTranscriptCache({ maxBytes: 1e9 }).storeFor('client');
    const ids = await converse(transcript, 90);
    expect((await itemsAfter(transcript, ids[75])).length).toBe(2 * 76 + 1);
    expect((await itemsAfter(transcript, ids[85])).length).toBe(1);
  });
});

describe('a reference to a stored response', () => {
  it('is resolved by an id that is unique', async () => {
    const request = { previous_response_id: UNIQUE, input: 'More' };
    expect(await resolved(UNIQUE, request)).toMatchObject({
      input: [{ role: 'user', content: 'Hi' }, SAID, { role: 'user', content: 'More' }],
    });
  });

  it('is left as it is for a short id, which another conversation may have too', async () => {
    const request = { previous_response_id: 'resp_1', input: 'More' };
    expect(await resolved('resp_1', request)).toBe(request);
  });
});
