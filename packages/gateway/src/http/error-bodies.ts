import { anthropicError, anthropicErrorBody } from '@quartermaster/wires/anthropic';
import { openaiErrorBody } from '@quartermaster/wires/openai-chat';
import type { ApiError } from './api-error.ts';

export { anthropicErrorBody, openaiErrorBody };

/** For paths that both APIs have, or neither. Only Anthropic's clients send a version; others get an envelope that both can read. */
export function sharedErrorBody(error: ApiError, requestId: string, request: Request): object {
  const [, family = ''] = /^\/v1\/([a-z_]+)/.exec(new URL(request.url).pathname) ?? [];
  if (request.headers.has('anthropic-version') || family === 'messages') return anthropicErrorBody(error, requestId);
  if (OPENAI_FAMILIES.has(family)) return openaiErrorBody(error);
  const { error: told } = openaiErrorBody(error) as { error: object };
  return { type: 'error', error: { ...told, ...anthropicError(error) }, request_id: requestId };
}

/** The paths of OpenAI's API below `/v1`. */
const OPENAI_FAMILIES: ReadonlySet<string> = new Set([
  ...['models', 'chat', 'completions', 'responses', 'conversations', 'embeddings', 'moderations', 'images', 'audio'],
  ...['files', 'uploads', 'batches', 'fine_tuning', 'vector_stores', 'assistants', 'threads', 'realtime', 'videos'],
  ...['containers', 'evals', 'graders', 'organization', 'skills', 'webhooks'],
]);
