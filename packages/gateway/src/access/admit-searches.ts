import { QueryError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import { ApiError } from '../http/index.ts';
import { type Access, retryHeaders, tellLimit } from './access.ts';

/** Takes searches that a client asks for itself from its key's share. Throws 429. */
export async function takeSearches({ takeSearches: take }: Access, count: number): Promise<void> {
  const refusal = count === 0 ? undefined : await take?.(count);
  if (refusal === undefined) return;
  throw new ApiError(429, tellLimit('searches', refusal), { headers: retryHeaders(refusal.retryAfterMs) });
}

/** The same for searches that a model asks for: it is told, and answers with the tools that it has. */
export function searchAdmission({ takeSearches: take }: Access): {
  readonly admitSearch?: (queries: readonly string[]) => Promise<void>;
} {
  const admitSearch =
    take === undefined
      ? undefined
      : async (queries: readonly string[]): Promise<void> => {
          const refusal = await take(queries.length);
          if (refusal === undefined) return;
          const advice = 'use the tools that you have meanwhile';
          throw new QueryError('too_many_requests', `${tellLimit('searches', refusal)}; ${advice}`);
        };
  return defined({ admitSearch });
}
