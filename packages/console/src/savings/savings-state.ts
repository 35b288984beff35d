export const PERIODS = [1, 7, 30, 90] as const;

/** What a link to the savings screen holds. */
export interface SavingsState {
  /** In days. @default 30 */
  readonly period?: (typeof PERIODS)[number];
  readonly unit?: 'money';
  /** Whose set-up is shown. */
  readonly client?: string;
}

/** A link is typed by people: what it can't mean is left out. */
export function readSavingsState(search: Record<string, unknown>): SavingsState {
  const period = PERIODS.find((days) => days === Number(search.period));
  return {
    ...(period === undefined || period === 30 ? {} : { period }),
    ...(search.unit === 'money' ? { unit: 'money' } : {}),
    ...(typeof search.client === 'string' && search.client !== '' ? { client: search.client } : {}),
  };
}
