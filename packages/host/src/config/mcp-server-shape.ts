import { isJsonObject, POLICIES } from '@quartermaster/core/catalog';
import { type McpServerSettings, type OAuthSettings, PROTOCOL_VERSIONS } from './config.ts';
import { choice, flag, milliseconds, passedOn, text, webAddress } from './scalar-shapes.ts';
import { listOf, object, record, type Shape, where, wrong } from './shape.ts';

const OPTIONS = {
  policy: { about: 'When its tools may be deferred.', shape: choice(POLICIES) },
  allow: { about: 'Names of tools to include; * matches any text. Defaults to all.', shape: listOf(text()) },
  deny: { about: 'Names of tools to leave out; overrides allow.', shape: listOf(text()) },
  connectTimeoutMs: { about: 'How long the server may take to start.', shape: milliseconds() },
  listTimeoutMs: { about: 'How long one page of a list may take.', shape: milliseconds() },
  callTimeoutMs: { about: 'How long a call may go without a result or progress.', shape: milliseconds() },
  protocolVersion: {
    about: 'The protocol revision to use with it. Defaults to the newest that works.',
    shape: choice(PROTOCOL_VERSIONS),
  },
  disabled: { about: 'Whether to leave the server out.', shape: flag() },
} as const;

const STDIO = object(
  {
    type: { about: 'A local process, over stdin and stdout.', shape: choice(['stdio']) },
    command: { about: 'The program to start.', shape: text() },
    args: { about: 'Its arguments.', shape: listOf(passedOn()) },
    env: {
      about: "Its environment variables. Little else of the gateway's environment is passed on.",
      shape: record(passedOn()),
    },
    envFile: { about: 'A file with more variables, one NAME=value per line; env overrides them.', shape: text() },
    cwd: { about: 'The folder that it is started in.', shape: text() },
    ...OPTIONS,
  },
  { required: ['command'] },
);

const OAUTH_BLOCK = object({
  clientId: { about: "The client that the server's operator has registered for you.", shape: text() },
  clientSecret: { about: 'Its secret, if it has one.', shape: text({ isSecret: true }) },
  clientMetadataUrl: {
    about: 'The https address of a document that describes the client.',
    shape: text({ pattern: /^https:\/\/[^/]+\/./, allowed: 'an https address with a path' }),
  },
  scopes: { about: 'Scopes to request in addition to those that the server names.', shape: listOf(text()) },
});

/** `true`, or how users sign in. */
const OAUTH: Shape<boolean | OAuthSettings> = {
  schema: { anyOf: [flag().schema, OAUTH_BLOCK.schema] },
  read: (value, place) => (isJsonObject(value) ? OAUTH_BLOCK.read(value, place) : flag().read(value, place)),
};

const REMOTE = object(
  {
    type: {
      about: 'The transport. If missing, Streamable HTTP is tried first, then SSE.',
      shape: choice(['http', 'streamable-http', 'sse']),
    },
    url: { about: "The server's address.", shape: webAddress() },
    headers: { about: 'Headers sent with every request.', shape: record(passedOn()) },
    oauth: { about: 'Whether users sign in with OAuth, and how.', shape: OAUTH },
    ...OPTIONS,
  },
  { required: ['url'] },
);

/** A server as written, before its file of variables is read. */
export type McpServerDocument = McpServerSettings & { readonly envFile?: string };

/** A server of the usual `mcpServers` block: a program to start, or an address. */
export const MCP_SERVER: Shape<McpServerDocument> = {
  schema: { anyOf: [STDIO.schema, REMOTE.schema] },
  read(value, place) {
    if (!isJsonObject(value)) return wrong(value, place, 'a block with command or url');
    if (Object.hasOwn(value, 'command') && Object.hasOwn(value, 'url')) {
      place.report(place.path, `${where(place.path)} has both command and url: give one of them`);
      return undefined;
    }
    const isStdio = Object.hasOwn(value, 'command') || value.type === 'stdio';
    if (isStdio) {
      const { command, ...rest } = STDIO.read(value, place) ?? {};
      return command === undefined ? undefined : { command, ...rest };
    }
    if (!Object.hasOwn(value, 'url')) {
      place.report(place.path, `${where(place.path)} has neither command nor url: give one of them`);
      return undefined;
    }
    const { url, ...rest } = REMOTE.read(value, place) ?? {};
    return url === undefined ? undefined : { url, ...rest };
  },
};
