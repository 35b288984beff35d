import { OUTCOMES, type Outcome } from '../api/activity.ts';

/** What an unfolded request shows below its figures. */
export const DETAIL_VIEWS = ['model', 'wire', 'record'] as const;

export type DetailView = (typeof DETAIL_VIEWS)[number];

/** What a link to this screen holds. */
export interface ActivityState {
  readonly view?: Outcome;
  readonly q?: string;
  readonly key?: string;
  readonly model?: string;
  readonly catalog?: string;
  /** The unfolded request. */
  readonly id?: string;
  readonly show?: DetailView;
}

const TEXTS = ['q', 'key', 'model', 'catalog', 'id'] as const;

export function readActivityState(search: Record<string, unknown>): ActivityState {
  const view = OUTCOMES.find((outcome) => outcome === search.view);
  const show = DETAIL_VIEWS.find((one) => one === search.show);
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...(view === undefined ? {} : { view }),
    ...(show === undefined ? {} : { show }),
    ...Object.fromEntries(texts),
  };
}

/** What became of a request's tools, in words. */
export const DECISIONS = { inline: 'sent inline', defer: 'deferred', pass: 'passed on' } as const;
