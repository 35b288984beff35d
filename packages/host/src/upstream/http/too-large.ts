import { UpstreamError } from '@quartermaster/core/errors';

/** An answer of which more came than is allowed. Asking again would bring as much. */
export function tooLarge(maxBytes: number): UpstreamError {
  const message = `The upstream's answer is larger than ${maxBytes} bytes`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}

/** An event that does not end within what is allowed. */
export function tooLong(maxEventLength: number): UpstreamError {
  const message = `An event of the upstream's stream is longer than ${maxEventLength} characters`;
  return new UpstreamError({ code: 'malformed', message, shouldRetry: false });
}
