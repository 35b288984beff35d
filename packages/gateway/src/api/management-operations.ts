import type { CheckedOperation, Operation } from './api.ts';
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
  summary: 'Retries an unreachable server immediately. Requires an admin key that may use the server.',
  answer: SERVER_ANSWER,
};
export const CHECK_SERVERS: CheckedOperation = {
  endpoint: servers,
  summary:
    "Converts a client's mcpServers block into entries for the settings file. Starts and stores nothing. Requires an admin key without restrictions.",
  body: CHECK_SERVERS_BODY,
  answer: CHECK_SERVERS_ANSWER,
};
export const SIGN_IN: Operation = {
  endpoint: servers,
  summary: 'Starts the OAuth sign-in of this key to an MCP server.',
  answer: SIGN_IN_ANSWER,
};
export const LIST_POLICIES: Operation = {
  endpoint: servers,
  summary:
    'Policies set at run time, for the servers and tools that this admin key may use. They override the policies in the settings.',
  answer: POLICIES_ANSWER,
};
export const CHANGE_POLICIES: CheckedOperation = {
  endpoint: servers,
  summary:
    'Sets or removes policies of servers and tools. The policy never pins a tool. Requires an admin key that may use them.',
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
  summary: 'Accepts a changed definition. 409 if it has changed again. Requires an admin key that may use the tool.',
  body: APPROVAL_BODY,
  answer: APPROVAL_ANSWER,
};

export const LIST_KEYS: Operation = {
  endpoint: keys,
  summary:
    'API keys with their permissions and limits, but not their secrets. An admin key without restrictions sees all keys, any other key only itself.',
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
  summary: 'Changes permissions, limits or expiry of a key. Fields that are left out do not change.',
  body: KEY_CHANGE_BODY,
  answer: KEY_ANSWER,
};
export const ROTATE_KEY: CheckedOperation = {
  endpoint: keys,
  summary: 'Gives a key a new secret. Earlier secrets stop working after the overlap, at the latest.',
  body: ROTATE_BODY,
  answer: SECRET_ANSWER,
};
export const REVOKE_KEY: Operation = { endpoint: keys, summary: 'Revokes a key.', answer: KEY_ANSWER };
