import type { CheckedOperation, Operation } from './api.ts';
import { OWNER_BODY, TOOLS_ANSWER, VERSIONS_ANSWER } from './management-schemas.ts';
import {
  CATALOG_ANSWER,
  CATALOG_BODY,
  CATALOG_HEAD,
  CATALOGS_ANSWER,
  DELETED_CATALOG,
  USAGE_ANSWER,
} from './search-schemas.ts';

const endpoint = 'catalogs';

export const LIST_CATALOGS: Operation = {
  endpoint,
  summary: 'The catalogs that this key may use.',
  answer: CATALOGS_ANSWER,
};
export const PUT_CATALOG: Operation = {
  endpoint,
  summary: 'Creates or replaces a catalog.',
  body: CATALOG_BODY,
  answer: CATALOG_HEAD,
};
export const GET_CATALOG: Operation = { endpoint, summary: 'A catalog with its tools.', answer: CATALOG_ANSWER };
export const CATALOG_TOOLS: Operation = {
  endpoint,
  summary: 'The tools of a catalog, each with its token cost, its number of calls, and what to review.',
  answer: TOOLS_ANSWER,
};
export const CATALOG_USAGE: Operation = {
  endpoint,
  summary: 'How often each tool of a catalog was called with this key.',
  answer: USAGE_ANSWER,
};
export const CATALOG_VERSIONS: Operation = {
  endpoint,
  summary: 'When a catalog changed, and who changed it.',
  answer: VERSIONS_ANSWER,
};
export const CHANGE_CATALOG: CheckedOperation = {
  endpoint,
  summary: 'Makes another key the owner of a catalog. Requires an admin key without restrictions.',
  body: OWNER_BODY,
  answer: CATALOG_HEAD,
};
export const DELETE_CATALOG: Operation = { endpoint, summary: 'Deletes a catalog.', answer: DELETED_CATALOG };
