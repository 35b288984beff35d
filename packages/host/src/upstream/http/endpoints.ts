import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { Dialect, PartOf, RequestOf } from '../dialect.ts';
import { withoutSealedItems, withoutSealedThinking } from './without-seals.ts';

/** What differs between the dialects when they are sent over HTTP as they are. */
export interface Endpoint<D extends Dialect> {
  readonly baseUrl: string;
  readonly path: string;
  /** In core's table of transports. */
  readonly transport: string;
  /** Sets the credential, in the way that the version of the API wants it. */
  authorize(headers: Headers, apiKey: string): void;
  /** The request without what only a translated upstream could read. */
  clean(request: RequestOf<D>): RequestOf<D>;
  /** The error that a part stands for. */
  errorIn(part: PartOf<D>): JsonObject | undefined;
  /** Whether the response is complete with this part: a stream that ends before one has been cut. */
  completes(part: PartOf<D>): boolean;
}

export const ENDPOINTS: { readonly [D in Dialect]: Endpoint<D> } = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/messages',
    transport: 'anthropic-messages',
    authorize(headers, apiKey) {
      if (!headers.has('anthropic-version')) headers.set('anthropic-version', '2023-06-01');
      // Versions are dates: the newer ones take the key as a bearer.
      const isBearer = (headers.get('anthropic-version') ?? '') >= '2026-10-21';
      if (isBearer) headers.set('authorization', `Bearer ${apiKey}`);
      else headers.set('x-api-key', apiKey);
    },
    clean: withoutSealedThinking,
    errorIn: (part) => (part.type === 'error' && isJsonObject(part.error) ? part.error : undefined),
    completes: (part) =>
      part.type === 'message_stop' || (part.type === 'message_delta' && typeof part.delta.stop_reason === 'string'),
  },
  'openai-chat': {
    baseUrl: 'https://api.openai.com/v1',
    path: '/chat/completions',
    transport: 'openai-chat',
    authorize: (headers, apiKey) => headers.set('authorization', `Bearer ${apiKey}`),
    clean: (request) => request,
    errorIn: (part) => (isJsonObject(part.error) ? part.error : undefined),
    completes: (part) => part.choices?.some((choice) => typeof choice.finish_reason === 'string') === true,
  },
  'openai-responses': {
    baseUrl: 'https://api.openai.com/v1',
    path: '/responses',
    transport: 'openai-responses',
    authorize: (headers, apiKey) => headers.set('authorization', `Bearer ${apiKey}`),
    clean: withoutSealedItems,
    errorIn: (part) => (part.type === 'error' ? responsesError(part) : undefined),
    completes: (part) => RESPONSE_ENDS.has(part.type),
  },
};

/** The event is the error; some hosts put one inside it. */
function responsesError(part: object): JsonObject | undefined {
  if (!isJsonObject(part)) return undefined;
  if (isJsonObject(part.error)) return part.error;
  const { code, message } = part;
  const type = typeof code === 'string' ? code : 'api_error';
  return { type, message: typeof message === 'string' ? message : '' };
}

const RESPONSE_ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
