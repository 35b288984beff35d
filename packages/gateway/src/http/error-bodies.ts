import { defined } from '@quartermaster/core/internal';
import type { ApiError } from './api-error.ts';

/** The Messages API's envelope. */
export function anthropicErrorBody(error: ApiError, requestId: string): object {
  return { type: 'error', error: anthropicError(error), request_id: requestId };
}

export function anthropicError(error: ApiError): { type: string; message: string; details?: object } {
  const { type, message, details } = error;
  return { type, message, ...defined({ details }) };
}

/** OpenAI's envelope. */
export function openaiErrorBody(error: ApiError): object {
  const { message, type, param = null } = error;
  return { error: { message, type, param, code: codeOf(error) ?? null } };
}

/** An error that ends a stream of the Responses API. */
export function responsesErrorEvent(error: ApiError): object {
  const { message, type, param = null } = error;
  return { type: 'error', code: codeOf(error) ?? type, message, param };
}

/** The host's own, or that of the Messages API. */
function codeOf({ code, details }: ApiError): string | undefined {
  return code ?? (typeof details?.error_code === 'string' ? details.error_code : undefined);
}

/** For paths that both APIs have, or neither. Only Anthropic's clients name a version; who can't be told gets an envelope that both read. */
export function errorBodyFor(request: Request): (error: ApiError, requestId: string) => object {
  if (request.headers.has('anthropic-version')) return anthropicErrorBody;
  const [, family = ''] = /^\/v1\/([a-z_]+)/.exec(new URL(request.url).pathname) ?? [];
  if (family === 'messages') return anthropicErrorBody;
  return OPENAI_FAMILIES.has(family) ? openaiErrorBody : bothErrorBody;
}

function bothErrorBody(error: ApiError, requestId: string): object {
  const { error: told } = openaiErrorBody(error) as { error: object };
  return { type: 'error', error: { ...told, ...anthropicError(error) }, request_id: requestId };
}

/** What OpenAI's API has below `/v1`. */
const OPENAI_FAMILIES: ReadonlySet<string> = new Set([
  ...['models', 'chat', 'completions', 'responses', 'conversations', 'embeddings', 'moderations', 'images', 'audio'],
  ...['files', 'uploads', 'batches', 'fine_tuning', 'vector_stores', 'assistants', 'threads', 'realtime', 'videos'],
  ...['containers', 'evals', 'graders', 'organization', 'skills', 'webhooks'],
]);
