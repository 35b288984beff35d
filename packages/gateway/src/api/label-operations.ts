import type { Operation } from './api.ts';
import { CASE_ANSWER, CASE_BODY, CASE_QUERY, CASES_ANSWER, DELETED_CASE, HINT_BODY } from './label-schemas.ts';
import { CATALOG_HEAD } from './search-schemas.ts';

const endpoint = 'catalogs';

export const LIST_CASES: Operation = {
  endpoint,
  summary: 'Labelled requests of a catalog, for POST /v1/catalogs/{name}/evaluate.',
  answer: CASES_ANSWER,
};
export const ADD_CASE: Operation = {
  endpoint,
  summary: 'Adds a labelled request, or changes its tools.',
  body: CASE_BODY,
  answer: CASE_ANSWER,
};
export const DELETE_CASE: Operation = {
  endpoint,
  summary: 'Deletes a labelled request.',
  query: CASE_QUERY,
  answer: DELETED_CASE,
};
export const ADD_HINT: Operation = {
  endpoint,
  summary: 'Adds search words to a tool. Creates a new version of the catalog.',
  body: HINT_BODY,
  answer: CATALOG_HEAD,
};
