import type { CheckedOperation, Operation } from './api.ts';
import { described, FLAG, list, record, TEXT } from './schema.ts';

const endpoint = 'mcp';

export const LIST_SIGN_INS: Operation = {
  endpoint,
  summary: 'The MCP servers that this key can sign in to, and whether it is signed in.',
  answer: record({ data: list(record({ server: TEXT, signed_in: FLAG })) }),
};
export const BEGIN_SIGN_IN: CheckedOperation = {
  endpoint,
  summary: 'Starts the OAuth sign-in of this key to an MCP server, in the browser that sends the request.',
  body: record({ server: TEXT }),
  answer: record({ url: described(TEXT, 'Where the browser goes next.') }),
};
const HTML = { answer: TEXT, answerType: 'text/html' };
export const SIGN_IN_PAGE: Operation = {
  endpoint: undefined,
  summary: 'The page where users sign in to MCP servers; it asks for a key.',
  ...HTML,
};
export const SIGN_IN_PAGE_SCRIPT: Operation = {
  endpoint: undefined,
  summary: 'The script of the sign-in page.',
  answer: TEXT,
  answerType: 'text/javascript',
};
export const SIGN_IN_PAGE_STYLE: Operation = {
  endpoint: undefined,
  summary: 'The style sheet of the sign-in page.',
  answer: TEXT,
  answerType: 'text/css',
};
export const SIGN_IN_CALLBACK: Operation = {
  endpoint: undefined,
  summary: 'The OAuth redirect URL.',
  ...HTML,
};
