import type { Operation } from './api.ts';
import {
  APPROVAL_ANSWER,
  APPROVAL_BODY,
  APPROVALS_ANSWER,
  CHECK_SERVERS_ANSWER,
  CHECK_SERVERS_BODY,
  KEY_ANSWER,
  KEY_CHANGE_BODY,
  KEYS_ANSWER,
  NEW_KEY_BODY,
  POLICIES_ANSWER,
  POLICIES_BODY,
  ROTATE_BODY,
  SECRET_ANSWER,
  SERVER_ANSWER,
  SERVERS_ANSWER,
  SIGN_IN_ANSWER,
} from './management-schemas.ts';

/** An operation whose body is checked against what the document says. */
export interface CheckedOperation extends Operation {
  readonly body: NonNullable<Operation['body']>;
}

const servers = 'servers';
const keys = 'keys';

export const LIST_SERVERS: Operation = {
  endpoint: servers,
  summary: 'The configured MCP servers: state, reason, cost, changed definitions.',
  answer: SERVERS_ANSWER,
};
export const GET_SERVER: Operation = { endpoint: servers, summary: 'One MCP server.', answer: SERVER_ANSWER };
export const RETRY_SERVER: Operation = {
  endpoint: servers,
  summary: 'Retries an unreachable server at once. Requires the role admin.',
  answer: SERVER_ANSWER,
};
export const CHECK_SERVERS: CheckedOperation = {
  endpoint: servers,
  summary:
    "Reads a client's block of MCP servers and returns the entries for the settings. Starts and stores nothing. Requires the role admin.",
  body: CHECK_SERVERS_BODY,
  answer: CHECK_SERVERS_ANSWER,
};
export const SIGN_IN: Operation = {
  endpoint: servers,
  summary: 'Starts signing this key in to a server.',
  answer: SIGN_IN_ANSWER,
};
export const LIST_POLICIES: Operation = {
  endpoint: servers,
  summary: 'Policies that were set while running; they take precedence over those in the settings.',
  answer: POLICIES_ANSWER,
};
export const CHANGE_POLICIES: CheckedOperation = {
  endpoint: servers,
  summary: 'Sets or removes policies of servers and tools. A pin is the policy never. Requires the role admin.',
  body: POLICIES_BODY,
  answer: POLICIES_ANSWER,
};
export const LIST_APPROVALS: Operation = {
  endpoint: servers,
  summary: 'Changed definitions that have not been accepted yet.',
  answer: APPROVALS_ANSWER,
};
export const APPROVE: CheckedOperation = {
  endpoint: servers,
  summary: 'Accepts a changed definition. 409 if it has changed again. Requires the role admin.',
  body: APPROVAL_BODY,
  answer: APPROVAL_ANSWER,
};

export const LIST_KEYS: Operation = {
  endpoint: keys,
  summary:
    'API keys with permissions and limits, never their secrets: all of them for an admin key, otherwise only its own.',
  answer: KEYS_ANSWER,
};
export const CREATE_KEY: CheckedOperation = {
  endpoint: keys,
  summary: 'Creates a key, and shows its secret once. Requires an admin key without restrictions.',
  body: NEW_KEY_BODY,
  answer: SECRET_ANSWER,
};
export const CHANGE_KEY: CheckedOperation = {
  endpoint: keys,
  summary: 'Changes role, limits or expiry of a key.',
  body: KEY_CHANGE_BODY,
  answer: KEY_ANSWER,
};
export const ROTATE_KEY: CheckedOperation = {
  endpoint: keys,
  summary: 'A new secret for the same key.',
  body: ROTATE_BODY,
  answer: SECRET_ANSWER,
};
export const REVOKE_KEY: Operation = { endpoint: keys, summary: 'Revokes a key.', answer: KEY_ANSWER };
