import { QueryError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';
import type { KeyPermissions, RateLimitStore } from '@quartermaster/host/store';
import { ApiError } from '../http/index.ts';
import { type Access, retryHeaders, tellLimit } from './access.ts';

/** A period that a budget of tokens is for: a day or a month of UTC. */
export interface BudgetPeriod {
  readonly name: 'day' | 'month';
  /** What the settings call it. */
  readonly limitName: 'tokensPerDay' | 'tokensPerMonth';
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endsAt: number;
}

/** The periods that a key has a budget for, the shorter first. */
export function budgetsOf(limits: KeyPermissions['limits'], now: number): readonly BudgetPeriod[] {
  const { tokensPerDay, tokensPerMonth } = limits;
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return [
    ...(tokensPerDay === undefined
      ? []
      : [period('day', tokensPerDay, [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)])]),
    ...(tokensPerMonth === undefined
      ? []
      : [period('month', tokensPerMonth, [Date.UTC(year, month), Date.UTC(year, month + 1)])]),
  ];
}

/** Whether a limit needs to know how many tokens each response used. */
export function countsTokens({ tokensPerMinute, tokensPerDay, tokensPerMonth }: KeyPermissions['limits']): boolean {
  return (tokensPerMinute ?? tokensPerDay ?? tokensPerMonth) !== undefined;
}

/** The first budget that is used up. A request is served while anything is left: what it will use is known only afterwards. */
export async function findSpent(
  rateLimits: RateLimitStore,
  owner: string,
  budgets: readonly BudgetPeriod[],
): Promise<BudgetPeriod | undefined> {
  for (const budget of budgets) {
    if ((await readSpent(rateLimits, owner, budget)) >= budget.limit) return budget;
  }
  return undefined;
}

export function readSpent(rateLimits: RateLimitStore, owner: string, budget: BudgetPeriod): Promise<number> {
  return rateLimits.spent({ bucket: bucketOf(owner, budget), startedAt: budget.startedAt });
}

export async function spendTokens(
  rateLimits: RateLimitStore,
  use: { readonly owner: string; readonly tokens: number; readonly budgets: readonly BudgetPeriod[] },
): Promise<void> {
  for (const budget of use.budgets) {
    const { startedAt, endsAt } = budget;
    await rateLimits.spend({ bucket: bucketOf(use.owner, budget), startedAt, endsAt, cost: use.tokens });
  }
}

function bucketOf(owner: string, { name }: BudgetPeriod): string {
  return `${owner}/tokens-per-${name}`;
}

function period(
  name: BudgetPeriod['name'],
  limit: number,
  [startedAt, endsAt]: readonly [number, number],
): BudgetPeriod {
  return { name, limitName: name === 'day' ? 'tokensPerDay' : 'tokensPerMonth', limit, startedAt, endsAt };
}

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
