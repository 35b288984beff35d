import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAnswerId } from './find-answer-id.ts';

function endsOf(line: string): { readonly head: string; readonly tail: string } {
  return { head: line.slice(0, 200), tail: line.slice(-200) };
}

const LONG = { content: [{ type: 'text', text: 'x'.repeat(1_000) }] };

describe('findAnswerId', () => {
  it.each([
    [{ jsonrpc: '2.0', id: 7, result: LONG }, 7],
    [{ id: 'seven', jsonrpc: '2.0', result: LONG }, 'seven'],
    [{ result: LONG, jsonrpc: '2.0', id: 7 }, 7],
    [{ jsonrpc: '2.0', result: LONG, id: 7 }, 7],
    [{ result: LONG, id: 7, jsonrpc: '2.0' }, 7],
    [{ error: { code: 1, message: 'x'.repeat(1_000) }, jsonrpc: '2.0', id: 7 }, 7],
    // The server's own ids are its own.
    [{ jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: LONG }, undefined],
    [{ method: 'sampling/createMessage', params: LONG, jsonrpc: '2.0', id: 7 }, undefined],
    [{ method: 'notifications/message', params: LONG, jsonrpc: '2.0' }, undefined],
    [{ jsonrpc: '2.0', result: { ...LONG, id: 7 } }, undefined],
    [{ result: { text: `${'x'.repeat(1_000)}","jsonrpc":"2.0","id":7}` } }, undefined],
    [{ result: LONG, jsonrpc: '2.0', id: { a: 7 } }, undefined],
  ])('finds whose answer it is: %#', (message, id) => {
    expect(findAnswerId(endsOf(JSON.stringify(message)))).toBe(id);
  });

  it.each([
    '{"jsonrpc":"2.0","id":007,"result":{"text":"',
    '{"jsonrpc":"2.0","id":1e3,"result":{"text":"',
    '{"jsonrpc":"2.0","id":"\\x","result":{"text":"',
  ])('ignores an id that is not ours or not JSON: %s', (head) => {
    expect(findAnswerId(endsOf(`${head}${'x'.repeat(1_000)}"}}`))).toBeUndefined();
  });

  it('only finds the id of the answer itself', () => {
    const keys = fc.constantFrom('jsonrpc', 'id', 'result', 'method', 'error', 'params');
    const text = fc.string({
      unit: fc.constantFrom('"', '{', '}', ',', ':', 'id', '7', '\\', '"id":7}'),
      maxLength: 40,
    });
    const value = fc.oneof(fc.nat(9), text, fc.dictionary(fc.constantFrom('id', 'a'), fc.oneof(fc.nat(9), text)));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(keys, value), { selector: ([key]) => key }), (entries) => {
        const message = { ...Object.fromEntries(entries), filler: 'x'.repeat(500) };
        const line = JSON.stringify(message);
        for (const ends of [endsOf(line), endsOf(line.replace(/,"filler":"x+"/, ''))]) {
          const found = findAnswerId(ends);
          if (found !== undefined) expect(found).toBe((message as { id?: unknown }).id);
        }
      }),
    );
  });
});
