import type { Operation } from './api.ts';
import { TOOLS_ANSWER, VERSIONS_ANSWER } from './management-schemas.ts';
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
  summary: 'What each tool of a catalog costs, how often it was called, and what to review in it.',
  answer: TOOLS_ANSWER,
};
export const CATALOG_USAGE: Operation = {
  endpoint,
  summary: 'How often models of this key called the tools of a catalog.',
  answer: USAGE_ANSWER,
};
export const CATALOG_VERSIONS: Operation = {
  endpoint,
  summary: 'When a catalog changed, and who changed it.',
  answer: VERSIONS_ANSWER,
};
export const DELETE_CATALOG: Operation = { endpoint, summary: 'Deletes a catalog.', answer: DELETED_CATALOG };
