/** What a link to the servers screen holds. */
export interface ServersState {
  readonly catalog?: string;
  readonly view?: 'tools';
  readonly q?: string;
  /** The unfolded server. */
  readonly server?: string;
  /** The unfolded tool. */
  readonly tool?: string;
}

/** A link is typed by people: what it can't mean is left out. */
export function readServersState(search: Record<string, unknown>): ServersState {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const state = {
    catalog: text(search.catalog),
    q: text(search.q),
    server: text(search.server),
    tool: text(search.tool),
  };
  return {
    ...Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)),
    ...(search.view === 'tools' ? { view: 'tools' } : {}),
  };
}
