import type { ApiError } from './api-error.ts';

/** The Messages API's envelope. */
export function anthropicErrorBody(error: ApiError, requestId: string): object {
  return { type: 'error', error: anthropicError(error), request_id: requestId };
}

export function anthropicError(error: ApiError): { type: string; message: string; details?: object } {
  const { type, message, details } = error;
  return { type, message, ...(details === undefined ? {} : { details }) };
}

/** OpenAI's envelope. */
export function openaiErrorBody(error: ApiError): object {
  const code = typeof error.details?.error_code === 'string' ? error.details.error_code : null;
  return { error: { message: error.message, type: error.type, param: null, code } };
}
