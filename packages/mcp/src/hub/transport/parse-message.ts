import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { defined, tryParseJson } from '@quartermaster/core/internal';

/**
 * Parses a line as a message; undefined if it is none. Only the outline of a request is checked: the protocol checks the rest.
 * An answer that the protocol would ignore is turned into one that it accepts, an error if necessary: otherwise the caller would wait
 * for the timeout.
 */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  const value = tryParseJson(line);
  if (!isJsonObject(value) || value.jsonrpc !== '2.0') return undefined;
  if (typeof value.method === 'string') return value as unknown as JSONRPCMessage;
  if (!isRequestId(value.id) || !('result' in value || 'error' in value)) return undefined;
  return isJsonObject(value.result) ? resultAnswer(value.id, value.result) : readError(value.id, value);
}

/** An error answer that gives the reason. */
export function errorAnswer(
  id: RequestId,
  message: string,
  more: { code?: number; data?: Json } = {},
): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message, ...more } };
}

/** Servers write `null` for fields that they leave out. */
function resultAnswer(id: RequestId, { _meta, ...result }: JsonObject): JSONRPCMessage {
  const meta = isJsonObject(_meta) ? { _meta } : {};
  return { jsonrpc: '2.0', id, result: { ...result, ...meta } } as JSONRPCMessage;
}

function readError(id: RequestId, { result, error }: JsonObject): JSONRPCMessage {
  if (!isJsonObject(error)) {
    const what = error === undefined || error === null ? result : error;
    return errorAnswer(id, `The server answered with ${kindOf(what)} in place of a result`);
  }
  const { code, message, data } = error;
  return errorAnswer(id, typeof message === 'string' ? message : 'The server answered with an error and no reason', {
    ...(Number.isSafeInteger(code) ? { code: code as number } : {}),
    ...defined({ data }),
  });
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** The kind of an untrusted value, for an error message. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
