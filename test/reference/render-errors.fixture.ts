import { typeOfStatus } from '@quartermaster/host/upstream';
import { membersOf, readSource } from './read-source.fixture.ts';

/** Every code of an error, from the types that list them. */
export function renderErrors(): string {
  const table = (path: string, type: string): string =>
    membersOf(readSource(path), type)
      .map(([code, text]) => `| \`${code}\` | ${text} |`)
      .join('\n');
  const statuses = STATUSES.map(([status, text]) => `| ${status} | \`${typeOfStatus(status)}\` | ${text} |`);
  return `# Errors

This page is generated from the types that list the codes.

## In a program

Every error that Quartermaster throws on purpose is a \`QuartermasterError\` with a \`code\`, a message
that says what to do, and facts in \`context\`.

| code | meaning |
|---|---|
${table('packages/core/src/errors.ts', 'ErrorCode')}

## From a store

| code | meaning |
|---|---|
${table('packages/host/src/store/store-error.ts', 'StoreErrorCode')}

## From an upstream

| code | meaning |
|---|---|
${table('packages/core/src/upstream-error.ts', 'UpstreamErrorCode')}

## From the gateway, over HTTP

The body has the format of the API that was called: Anthropic's
\`{"type": "error", "error": {"type", "message"}}\`, or OpenAI's \`{"error": {"type", "message", "code"}}\`.
Machine-readable details are in \`error.details\`. \`retry-after\` says when a retry may help, and
\`x-should-retry: false\` that none will.

| status | type | when |
|---|---|---|
${statuses.join('\n')}
`;
}

const STATUSES: readonly (readonly [number, string])[] = [
  [400, 'The request is malformed, or asks for something that tool search cannot do. The message names the field.'],
  [401, 'The key is missing, unknown, expired or revoked.'],
  [403, 'The key may not do this: the model, the endpoint or the change needs another role.'],
  [404, 'Not found, or not visible to this key: a catalog, a batch, a response, a path.'],
  [405, 'The path exists, but not with this method. `allow` lists the methods.'],
  [
    413,
    'The body is larger than `limits.bodyBytes` or `limits.batchBytes`, or takes more than half of `limits.inProgressBytes`.',
  ],
  [429, 'A limit of the key or of the upstream has been reached. `retry-after` says for how long.'],
  [500, 'A bug in the gateway, or an error of the upstream without a better status.'],
  [502, 'The upstream or an MCP server is unreachable, or rejected the gateway’s own key (`upstream_credentials`).'],
  [
    503,
    'The store is unavailable (`store_unavailable`), or the requests in progress leave no memory for this one (`too_much_in_progress`).',
  ],
  [504, 'The upstream did not answer in time.'],
  [507, 'The store has no space left (`store_full`).'],
  [529, 'The upstream is overloaded.'],
];
