import { isJsonObject } from '@quartermaster/core/catalog';
import { UpstreamError } from '@quartermaster/core/errors';
import { DIALECTS, type RequestOf, type UpstreamClient } from '../dialect.ts';
import { retry, withinDeadline } from '../internal/retry.ts';
import { HTTP_TIMEOUTS, type HttpUpstreamOptions } from './http-upstream-options.ts';
import { post, readJson, stepOf, type WrittenRequest, writeRequest } from './post.ts';

/** An answer is one number. */
const MOST_BYTES = 64 * 1024;

/** Asks a host of the Messages API for the number of tokens in a request, with the same retries as for a response. */
export async function countTokens(
  options: Omit<HttpUpstreamOptions<'anthropic'>, 'dialect'>,
  request: RequestOf<'anthropic'> | WrittenRequest,
  { signal, ...client }: UpstreamClient & { readonly signal: AbortSignal },
): Promise<number> {
  const exchange = { options: { ...options, dialect: 'anthropic' as const }, client };
  const { connectMs } = { ...HTTP_TIMEOUTS, ...options.timeouts };
  const body = writeRequest('anthropic', request, 'count');
  const attempt = (): Promise<number> =>
    withinDeadline(stepOf(exchange.options, signal), async (deadline) => {
      deadline.allow(connectMs, 'no count');
      const response = await post(exchange, { body, path: PATH, deadline });
      const answer = await readJson(response, MOST_BYTES);
      if (isJsonObject(answer) && typeof answer.input_tokens === 'number') return answer.input_tokens;
      throw new UpstreamError({ code: 'malformed', message: 'The upstream did not return a number of tokens' });
    });
  return retry(attempt, signal, options.retries);
}

const PATH = `${DIALECTS.anthropic.endpoint.path}/count_tokens`;
