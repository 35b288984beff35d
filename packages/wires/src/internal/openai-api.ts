import type { JsonObject } from '@quartermaster/core/catalog';
import { RequestError } from '@quartermaster/core/errors';
import type { ErrorFacts } from '../dialect.ts';

export function authorizeBearer(headers: Headers, apiKey: string): void {
  headers.set('authorization', `Bearer ${apiKey}`);
}

/** What both of OpenAI's protocols need of a request. */
export function checkOpenAIRequest({ model, tools }: JsonObject): void {
  if (typeof model !== 'string' || model === '') throw new RequestError('invalid_request', 'model: Field required');
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) {
    throw new RequestError('invalid_request', 'tools: Input should be a list');
  }
}

/** OpenAI's error envelope. */
export function openaiErrorBody(error: ErrorFacts): object {
  const { message, type, hostType = type, param = null } = error;
  return { error: { message, type: hostType, param, code: openaiErrorCode(error) ?? null } };
}

/** The host's own code, or that of the Messages API. */
export function openaiErrorCode({ code, details }: ErrorFacts): string | undefined {
  return code ?? (typeof details?.error_code === 'string' ? details.error_code : undefined);
}
