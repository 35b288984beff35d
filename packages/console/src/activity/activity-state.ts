import { OUTCOMES, type Outcome } from '../api/activity.ts';

/** What a link to this screen holds. */
export interface ActivityState {
  readonly view?: Outcome;
  readonly q?: string;
  readonly key?: string;
  readonly model?: string;
  readonly catalog?: string;
  /** The unfolded request. */
  readonly id?: string;
}

const TEXTS = ['q', 'key', 'model', 'catalog', 'id'] as const;

export function readActivityState(search: Record<string, unknown>): ActivityState {
  const view = OUTCOMES.find((outcome) => outcome === search.view);
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return { ...(view === undefined ? {} : { view }), ...Object.fromEntries(texts) };
}

/** What became of a request's tools, in words. */
export const DECISIONS = { inline: 'sent inline', defer: 'deferred', pass: 'passed on' } as const;
