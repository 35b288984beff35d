import { createTranscriptCache, resolveReferences } from '@quartermaster/core/loop';
import { describe, expect, it } from 'vitest';
import { openaiResponsesWire } from './responses-dialect.ts';
import type { ResponsesRequest } from './responses-shapes-2026-11.ts';
import { hiddenContent } from './responses-transcript.ts';

const UNIQUE = 'resp_0e8f9c1a2b3c4d5e8f90a1b2c3d4e5f6';
const SAID = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };

function contentOf(request: ResponsesRequest, id = UNIQUE) {
  const response = { id, object: 'response', status: 'completed', output: [SAID] };
  return hiddenContent({ items: [SAID], response, request, id });
}

/** The request after references to what was stored under this id were resolved. */
async function resolved(id: string, request: ResponsesRequest): Promise<ResponsesRequest> {
  const transcript = createTranscriptCache().storeFor('client');
  const content = contentOf({ input: 'Hi' }, id)?.content ?? {};
  const { dialect } = openaiResponsesWire;
  await transcript.keep([id], { id, dialect, version: 1, calls: [], content });
  return resolveReferences({ wire: openaiResponsesWire, request, transcript });
}

describe('what is stored of a response', () => {
  it('is the history that it continues, up to a limit', () => {
    const history = contentOf({ input: 'Hi' })?.content.history;
    expect(history).toMatchObject([{ role: 'user', content: 'Hi' }, SAID]);
    const long = contentOf({ input: 'x'.repeat(256 * 1024) })?.content;
    expect(long).toHaveProperty('output', [SAID]);
    expect(long).not.toHaveProperty('history');
  });

  it('is nothing that the client could refer to if it must not be stored', () => {
    expect(contentOf({ input: 'Hi', store: false })).toBeUndefined();
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
