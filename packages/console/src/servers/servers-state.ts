/** What rows can be sorted by. */
export const SORTS = ['name', 'tokens', 'calls', 'findings'] as const;

export type Sort = (typeof SORTS)[number];

/** What a link to the servers screen holds. */
export interface ServersState {
  readonly catalog?: string;
  readonly view?: 'tools' | 'catalogs';
  readonly q?: string;
  /** The unfolded server. */
  readonly server?: string;
  /** The unfolded tool. */
  readonly tool?: string;
  /** What the rows are sorted by. @default tokens */
  readonly sort?: Sort;
}

/** A link is typed by people: what it can't mean is left out. */
export function readServersState(search: Record<string, unknown>): ServersState {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const sort = SORTS.find((one) => one === search.sort);
  const state = {
    catalog: text(search.catalog),
    q: text(search.q),
    server: text(search.server),
    tool: text(search.tool),
  };
  return {
    ...Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)),
    ...(search.view === 'tools' || search.view === 'catalogs' ? { view: search.view } : {}),
    ...(sort === undefined || sort === 'tokens' ? {} : { sort }),
  };
}
