import { OUTCOMES, type Outcome } from '../api/activity.ts';

/** What a link to this screen holds. */
export interface ActivityState {
  readonly view?: Outcome;
  readonly q?: string;
  /** The unfolded request. */
  readonly id?: string;
}

export function readActivityState(search: Record<string, unknown>): ActivityState {
  const view = OUTCOMES.find((outcome) => outcome === search.view);
  return {
    ...(view === undefined ? {} : { view }),
    ...(typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {}),
    ...(typeof search.id === 'string' ? { id: search.id } : {}),
  };
}

/** What became of a request's tools, in words. */
export const DECISIONS = { inline: 'sent inline', defer: 'deferred', pass: 'passed on' } as const;
