import type { Form } from './form.ts';
import type { Listing } from './listing.ts';
import type { Own } from './plan.ts';

export interface NoteOptions {
  readonly form: Form;
  readonly own: readonly Own[];
  readonly listing: Listing;
  /** Whether some stub's description is cut. */
  readonly hasCuts: boolean;
}

/** The text for the system prompt: search before you say that something is not possible, and what there is to search for. */
export function makeNote(options: NoteOptions): string | undefined {
  const { form, own, listing } = options;
  const searches = own.filter((tool) => tool.role === 'search').map(({ name }) => name);
  const search = searches.length === 0 ? undefined : searches.join(' or ');
  if (form.search === 'client') return undefined;
  const guidance = search === undefined ? HOSTED : guide(options, search);
  return listing.text === '' ? guidance : `${guidance}\n${listing.text}`;
}

function guide({ form, hasCuts }: NoteOptions, search: string): string {
  if (form.hidden === 'stub') {
    const cuts = hasCuts ? ` It also gives the rest of a description that ends in "…".` : '';
    return `Some tools are shown without their parameters. Before you use one whose parameters you have not seen, call ${search} to load them.${cuts}`;
  }
  return `More tools are available than your list shows. When none in it fits, call ${search} before you say that something is not possible.`;
}

const HOSTED =
  'More tools are available than your list shows. When none in it fits, search for one before you say that something is not possible.';
