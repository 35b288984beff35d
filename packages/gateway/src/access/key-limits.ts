import type { KeyPermissions, RateAnswer, RateLimitStore } from '@quartermaster/host/store';

type Limits = KeyPermissions['limits'];

/** A key, as far as its limits go. */
interface LimitedKey {
  readonly owner: string;
  readonly limits: Limits;
}

/** A limit per minute that is used up. Plain values, which can be sent between threads. */
export interface UsedUpLimit {
  readonly limit: number;
  readonly retryAfterMs: number;
}

/** A token budget that is used up. */
export interface SpentBudget {
  readonly name: 'day' | 'month';
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** What is limited per minute. */
export type MinuteKind = keyof typeof PER_MINUTE;

/** The limits of keys and what is used of them, which all replicas share. */
export interface KeyLimits {
  /** Takes from a limit per minute; 0 only checks. `spared` of it are left to others. Reports when not enough is left. */
  take(
    key: LimitedKey,
    kind: MinuteKind,
    use: { readonly cost: number; readonly spared?: number },
  ): Promise<UsedUpLimit | undefined>;
  /** The first token budget that is spent. A request is served while anything is left: its usage is known only afterwards. */
  findSpent(key: LimitedKey): Promise<SpentBudget | undefined>;
  /** Counts tokens against all limits of the key. */
  charge(key: LimitedKey, tokens: number): Promise<void>;
  /** How much of each limit is used now, by the limit's name. */
  usedOf(key: LimitedKey): Promise<Readonly<Record<string, number>>>;
}

const MINUTE_MS = 60_000;

/** The limits per minute by what they limit. */
export const PER_MINUTE = {
  requests: 'requestsPerMinute',
  tokens: 'tokensPerMinute',
  searches: 'searchesPerMinute',
} as const;

export function createKeyLimits(rateLimits: RateLimitStore, now: () => number): KeyLimits {
  const inMinute = (owner: string, kind: MinuteKind) => ({ bucket: `${owner}/${kind}`, windowMs: MINUTE_MS });

  async function ask(
    { owner, limits }: LimitedKey,
    kind: MinuteKind,
    { cost, spared = 0 }: { readonly cost: number; readonly spared?: number },
  ): Promise<{ readonly limit: number; readonly answer: RateAnswer } | undefined> {
    const limit = limits[PER_MINUTE[kind]];
    if (limit === undefined) return undefined;
    const share = spared === 0 ? limit : Math.max(1, limit - spared);
    return { limit, answer: await rateLimits.take({ ...inMinute(owner, kind), limit: share, cost }) };
  }

  return {
    async take(key, kind, use) {
      const asked = await ask(key, kind, use);
      if (asked === undefined || asked.answer.kind === 'granted') return undefined;
      return { limit: asked.limit, retryAfterMs: asked.answer.retryAfterMs };
    },
    async findSpent({ owner, limits }) {
      for (const { name, limit, period, endsAt } of budgetsOf(owner, limits, now())) {
        if ((await rateLimits.spent(period)) >= limit) return { name, limit, endsAt };
      }
      return undefined;
    },
    async charge({ owner, limits }, cost) {
      for (const { period, endsAt } of budgetsOf(owner, limits, now())) {
        await rateLimits.spend({ ...period, endsAt, cost });
      }
      if (limits.tokensPerMinute !== undefined) await rateLimits.charge({ ...inMinute(owner, 'tokens'), cost });
    },
    async usedOf(key) {
      const used: Record<string, number> = {};
      for (const kind of Object.keys(PER_MINUTE) as MinuteKind[]) {
        const asked = await ask(key, kind, { cost: 0 });
        if (asked === undefined) continue;
        const { limit, answer } = asked;
        used[PER_MINUTE[kind]] = answer.kind === 'granted' ? limit - answer.remaining : limit;
      }
      for (const { limitName, period } of budgetsOf(key.owner, key.limits, now())) {
        used[limitName] = await rateLimits.spent(period);
      }
      return used;
    },
  };
}

/** The days and months, in UTC, that a key has a token budget for, the shorter one first. */
function budgetsOf(owner: string, limits: Limits, now: number) {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const periods = [
    ['day', 'tokensPerDay', Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    ['month', 'tokensPerMonth', Date.UTC(year, month), Date.UTC(year, month + 1)],
  ] as const;
  return periods.flatMap(([name, limitName, startedAt, endsAt]) => {
    const limit = limits[limitName];
    const period = { bucket: `${owner}/tokens-per-${name}`, startedAt };
    return limit === undefined ? [] : [{ name, limitName, limit, period, endsAt }];
  });
}
