import type { Operation } from './api.ts';
import { TEXT } from './schema.ts';

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
