import { linkText } from '../shell/link-text.ts';

/** What rows can be sorted by. */
export const SORTS = ['name', 'tokens', 'calls', 'findings'] as const;

export type Sort = (typeof SORTS)[number];

/** What a link to the servers screen holds. */
export interface ServersState {
  readonly catalog?: string;
  readonly view?: 'tools' | 'catalogs';
  readonly q?: string;
  /** What the rows are sorted by. @default tokens */
  readonly sort?: Sort;
  /** `diff` opens the changed definition of the tool in the path. */
  readonly show?: 'diff';
  /** Whether the dialog that adds servers is open. */
  readonly add?: true;
}

/** A link is typed by people: what it can't mean is left out. */
export function readServersState(search: Record<string, unknown>): ServersState {
  // A minus means from the largest on, as figures are sorted anyway.
  const sort = SORTS.find((one) => one === String(search.sort).replace(/^-/, ''));
  const state = { catalog: linkText(search.catalog), q: linkText(search.q) };
  return {
    ...Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)),
    ...(search.view === 'tools' || search.view === 'catalogs' ? { view: search.view } : {}),
    ...(sort === undefined || sort === 'tokens' ? {} : { sort }),
    ...(search.show === 'diff' ? { show: 'diff' as const } : {}),
    ...(search.add === true ? { add: true as const } : {}),
  };
}
