import { MOST_CASE_CHARACTERS } from '@quartermaster/host/store';
import { component, described, list, record, type Schema, TEXT } from './schema.ts';

export const CASE_BODY: Schema = record({
  query: { type: 'string', minLength: 1, maxLength: MOST_CASE_CHARACTERS },
  tools: described(
    { type: 'array', items: TEXT, minItems: 1, maxItems: 20 },
    'Ids of tools of the catalog, any of which answers it.',
  ),
});
/** In the query string: clients resolve a path segment of dots, and proxies decode slashes. */
export const CASE_QUERY: Schema = record({ query: TEXT });
export const CASES_ANSWER: Schema = record({
  data: list(component('StoredCase', record({ query: TEXT, tools: list(TEXT), created_at: TEXT, created_by: TEXT }))),
});
export const CASE_ANSWER: Schema = record({ type: { const: 'case' }, query: TEXT, tools: list(TEXT) });
export const DELETED_CASE: Schema = record({ type: { const: 'case_deleted' }, query: TEXT });
export const HINT_BODY: Schema = record({
  tool: described(TEXT, 'The id of a tool of the catalog.'),
  hint: described(
    { type: 'string', minLength: 1, maxLength: 200 },
    'Words that the tool should be found by. Only the index holds them; no model sees them.',
  ),
});
