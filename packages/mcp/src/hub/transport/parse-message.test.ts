import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { parseMessage } from './parse-message.ts';

const LINE = (rest: string): string => `{"jsonrpc":"2.0","id":7,${rest}}`;

describe('parseMessage', () => {
  it.each([
    ['"result":null', -32_603, 'The server answered with nothing in place of a result'],
    ['"result":[]', -32_603, 'The server answered with a list in place of a result'],
    ['"result":"x"', -32_603, 'The server answered with a string in place of a result'],
    ['"error":"x"', -32_603, 'The server answered with a string in place of a result'],
    ['"error":{}', -32_603, 'The server answered with an error and no reason'],
    ['"error":{"code":-5}', -5, 'The server answered with an error and no reason'],
    ['"error":{"code":1.5,"message":"no"}', -32_603, 'no'],
    ['"error":{"code":1e300,"message":"no"}', -32_603, 'no'],
    ['"error":{"code":"E","message":"no"}', -32_603, 'no'],
  ])('turns %s into a valid protocol error', (rest, code, message) => {
    const parsed = parseMessage(LINE(rest));
    expect(parsed).toEqual({ jsonrpc: '2.0', id: 7, error: { code, message } });
    expect(isJSONRPCErrorResponse(parsed)).toBe(true);
  });

  it('distinguishes a list that is nested too deeply from a result', () => {
    const parsed = parseMessage(LINE(`"result":${'['.repeat(100_000)}${']'.repeat(100_000)}`));
    expect(parsed).toMatchObject({ error: { message: 'The server answered with a list in place of a result' } });
  });

  it.each([
    ['"result":{"a":1},"error":null', { a: 1 }],
    ['"result":{"a":1},"duration":3', { a: 1 }],
    ['"result":{"a":1,"_meta":null}', { a: 1 }],
    ['"result":{"_meta":{"b":2}}', { _meta: { b: 2 } }],
    ['"result":{"constructor":1}', { constructor: 1 }],
  ])('accepts a result with an odd field: %s', (rest, result) => {
    const parsed = parseMessage(LINE(rest));
    expect(parsed).toEqual({ jsonrpc: '2.0', id: 7, result });
    expect(isJSONRPCResultResponse(parsed)).toBe(true);
  });

  it('keeps what an error says', () => {
    const error = { code: -32_042, message: 'Sign in', data: { url: 'https://example.com' } };
    expect(parseMessage(LINE(`"error":${JSON.stringify(error)}`))).toEqual({ jsonrpc: '2.0', id: 7, error });
  });

  it.each([
    '',
    'text',
    '[1]',
    '{"level":"info"}',
    '{"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":null,"result":{}}',
  ])('rejects %j as a message', (line) => {
    expect(parseMessage(line)).toBeUndefined();
  });
});
