import { SettingError } from '../../errors.ts';
import { SEARCH_LIMITS } from '../searcher.ts';

/** The number of hits that a request asks for, or the default. */
export function resolveLimit(limit: number | undefined): number {
  if (limit === undefined) {
    return SEARCH_LIMITS.default;
  }
  if (!Number.isInteger(limit) || limit < SEARCH_LIMITS.min || limit > SEARCH_LIMITS.max) {
    throw new SettingError(
      'invalid_limit',
      `Limit ${String(limit)} is not a whole number from ${SEARCH_LIMITS.min} to ${SEARCH_LIMITS.max}`,
      { context: { limit } },
    );
  }
  return limit;
}
