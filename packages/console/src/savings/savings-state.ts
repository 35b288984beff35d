export const PERIODS = [1, 7, 30, 90] as const;

export const BREAKDOWNS = ['key', 'model', 'catalog'] as const;

/** What a link to the savings screen holds. */
export interface SavingsState {
  /** In days, written `7d`. @default 30d */
  readonly period?: `${(typeof PERIODS)[number]}d`;
  readonly unit?: 'money';
  /** The breakdown that is listed whole. */
  readonly by?: (typeof BREAKDOWNS)[number];
  /** Whose set-up is shown. */
  readonly client?: string;
  /** Whether the dialog with the prices is open. */
  readonly show?: 'prices';
}

/** A link is typed by people: what it can't mean is left out. */
export function readSavingsState(search: Record<string, unknown>): SavingsState {
  const asked = String(search.period) === '24h' ? '1d' : String(search.period);
  const period = PERIODS.find((days) => asked === `${days}d` || asked === String(days));
  const by = BREAKDOWNS.find((one) => one === search.by);
  return {
    ...(period === undefined || period === 30 ? {} : { period: `${period}d` as const }),
    ...(by === undefined ? {} : { by }),
    ...(search.unit === 'money' ? { unit: 'money' } : {}),
    ...(search.show === 'prices' ? { show: 'prices' } : {}),
    ...(typeof search.client === 'string' && search.client !== '' ? { client: search.client } : {}),
  };
}
