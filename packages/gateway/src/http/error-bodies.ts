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
