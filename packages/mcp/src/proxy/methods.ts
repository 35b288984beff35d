import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { ClientRequest } from './client-request.ts';
import { followResource, unfollowResource } from './follow-resources.ts';
import { noteListed } from './pass-on-changes.ts';
import { LISTEN_METHOD } from './serve-listening.ts';
import { complete, getPrompt, listPrompts } from './serve-prompts.ts';
import { listResources, listResourceTemplates, readResource } from './serve-resources.ts';
import { STATUS_RESOURCE } from './serve-status.ts';
import { askTask, listTasks } from './serve-tasks.ts';
import { listProxyTools } from './serve-tools.ts';
import type { Session } from './session.ts';

type Serve = (session: Session, request: ClientRequest) => JsonObject | Promise<JsonObject>;

/** Methods whose results depend on which servers are there. */
export const METHODS_OF_SERVERS: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  ['tools/list', listProxyTools],
  [
    'resources/list',
    async (session, request) => {
      noteListed(session, 'resources');
      const list = await listResources(session, request);
      // Ours at the end: what servers list comes first.
      return { ...list, resources: [...list.resources, STATUS_RESOURCE] };
    },
  ],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  [
    'resources/subscribe',
    async (session, { params, signal }) => {
      await followResource(session, params.uri, signal);
      return {};
    },
  ],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
]);

/** Methods about what the client already has. */
export const OTHER_METHODS: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  [
    'resources/unsubscribe',
    (session, { params }) => {
      unfollowResource(session, params.uri);
      return {};
    },
  ],
  [
    'logging/setLevel',
    (session, { params: { level } }) => {
      if (typeof level !== 'string' || level.length > MOST_LEVEL_LENGTH)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'logging/setLevel needs a level');
      session.changeLevel(level);
      return {};
    },
  ],
  ['tasks/list', listTasks],
  ['tasks/get', askTask],
  ['tasks/result', askTask],
  ['tasks/cancel', askTask],
]);

/** A level is a word. It is kept, and sent to every server. */
const MOST_LEVEL_LENGTH = 100;

/** All methods that a client may call, including those that the SDK serves itself. */
export const SERVED_METHODS: ReadonlySet<string> = new Set([
  ...['initialize', 'ping', 'server/discover', LISTEN_METHOD, 'tools/call'],
  ...METHODS_OF_SERVERS.keys(),
  ...OTHER_METHODS.keys(),
]);
