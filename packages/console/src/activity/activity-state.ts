import { OUTCOMES, type Outcome } from '../api/activity.ts';
import { linkText } from '../shell/link-text.ts';

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
  /** Only requests from this time on, in ISO 8601. */
  readonly from?: string;
  /** Only requests before this time. */
  readonly to?: string;
  readonly show?: DetailView;
}

const TEXTS = ['q', 'key', 'model', 'catalog'] as const;
const TIMES = ['from', 'to'] as const;

/** A link is typed by people: what it can't mean is left out. */
export function readActivityState(search: Record<string, unknown>): ActivityState {
  const wanted = search.net === 'negative' ? 'loss' : (search.outcome ?? search.view);
  const view = OUTCOMES.find((outcome) => outcome === wanted);
  // The system note is a part of what the model saw.
  const show = DETAIL_VIEWS.find((one) => one === (search.show === 'note' ? 'model' : search.show));
  const texts = [...TEXTS, ...TIMES].flatMap((name) => {
    const isTime = name === 'from' || name === 'to';
    const text = linkText(search[name]);
    if (text === undefined || (isTime && Number.isNaN(Date.parse(text)))) return [];
    return [[name, text] as const];
  });
  return {
    ...(view === undefined ? {} : { view }),
    ...(show === undefined ? {} : { show }),
    ...Object.fromEntries(texts),
  };
}

/** What became of a request's tools, in words. */
export const DECISIONS = { inline: 'sent inline', defer: 'deferred', pass: 'passed on' } as const;

/** What a key is called: its name, where the gateway knows it. */
export function keyOf({ key, owner }: { readonly key?: string; readonly owner: string }): string {
  return key ?? owner;
}

/** The names of the forms, by how a tool is hidden, revealed and called. */
const FORM_NAMES: Readonly<Record<string, string>> = {
  'stub answer direct': 'stub',
  'omit answer wrapped': 'bridge',
  'omit append direct': 'load',
  'omit native direct': 'native',
  'mark native direct': 'hosted',
};

/** The name of a form that has one: `native` for `omit native direct`. */
export function formName(form: string): string {
  return FORM_NAMES[form] ?? form;
}
