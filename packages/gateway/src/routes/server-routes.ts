import { contextWindow, suggestPins } from '@quartermaster/core/gate';
import type { PolicyChange } from '@quartermaster/host/store';
import { compilePermissions, McpError } from '@quartermaster/mcp';
import type { Access } from '../access/index.ts';
import { type Api, jsonRoutes } from '../api/index.ts';
import {
  APPROVAL_ANSWER,
  APPROVAL_BODY,
  APPROVALS_ANSWER,
  CHECK_SERVERS_ANSWER,
  CHECK_SERVERS_BODY,
  POLICIES_ANSWER,
  POLICIES_BODY,
  SERVER_ANSWER,
  SERVERS_ANSWER,
  SIGN_IN_ANSWER,
  TOOLS_ANSWER,
} from '../api/management-schemas.ts';
import { loadCatalog } from '../catalogs/index.ts';
import { ApiError, streamList } from '../http/index.ts';
import { checkServers, describeServers, describeTools } from '../management/index.ts';
import { ALL_SERVERS, permissionsOf } from '../mcp/index.ts';
import { signInAddress, signInPage } from '../sign-in/index.ts';
import { readCalls } from './catalog-usage.ts';
import type { Services } from './services.ts';

/** Management of MCP servers and the tools of catalogs: states, costs, policies, changed definitions. */
export function mountServerRoutes(api: Api, services: Services): void {
  const { runner, mcp, policies, catalogs, usage, store, lint, settings, clock } = services;
  const routes = jsonRoutes(api, runner, 'servers');
  const names = mcp?.hub.servers().map(({ name }) => name) ?? [];
  const toolsFor = (access: Access) => compilePermissions(permissionsOf(access, names)).allowsTool;
  /** An admin key manages the servers that its patterns name; one with rules for tools manages only those tools. */
  const managesServer = (access: Access, name: string): boolean => {
    if (access.isUnlimited) return true;
    const mayUse = access.mayUseCatalog(name) || access.mayUseCatalog(ALL_SERVERS);
    return access.role === 'admin' && access.tools === undefined && names.includes(name) && mayUse;
  };
  const managesPolicy = (access: Access, { kind, name }: Pick<PolicyChange, 'kind' | 'name'>): boolean => {
    if (access.isUnlimited || kind === 'server') return managesServer(access, name);
    const [server = '', ...tool] = name.split('/');
    return access.role === 'admin' && names.includes(server) && toolsFor(access)({ server, name: tool.join('/') });
  };
  const serversFor = (access: Access, only?: string) => {
    if (mcp === undefined) return [];
    const allowsTool = toolsFor(access);
    const usable = new Set(mcp.hub.snapshot().tools.flatMap((tool) => (allowsTool(tool) ? [tool.server] : [])));
    return describeServers(mcp.hub, {
      isManager: (name) => managesServer(access, name),
      maySee: (name) => access.isUnlimited || access.mayUseCatalog(name) || usable.has(name),
      ...{ allowsTool, only, nowMs: clock.now() },
    });
  };
  const serverFor = (access: Access, name: string) => {
    const [server] = serversFor(access, name);
    if (server === undefined) throw new ApiError(404, 'There is no MCP server of this name that this key may see');
    return server;
  };

  routes.get(
    '/v1/servers',
    { summary: 'The configured MCP servers: state, reason, cost, changed definitions.', answer: SERVERS_ANSWER },
    async ({ access }) => ({ data: serversFor(access), may_manage: access.role === 'admin' }),
  );
  routes.post(
    '/v1/servers/check',
    {
      summary:
        "Converts a client's mcpServers block into entries for the settings file. Starts and stores nothing. Requires an admin key without restrictions.",
      body: CHECK_SERVERS_BODY,
      answer: CHECK_SERVERS_ANSWER,
    },
    async ({ access, readBody }) => {
      if (!access.isUnlimited)
        throw new ApiError(403, 'This key may not add servers; that requires an admin key without restrictions');
      const { text } = await readBody<{ readonly text: string }>();
      return checkServers(text, new Set(mcp?.hub.servers().map(({ name }) => name)));
    },
  );
  routes.get('/v1/servers/:name', { summary: 'One MCP server.', answer: SERVER_ANSWER }, async ({ access, param }) =>
    serverFor(access, param('name')),
  );
  routes.post(
    '/v1/servers/:name/retry',
    {
      summary: 'Retries an unreachable server immediately. Requires an admin key that may use the server.',
      answer: SERVER_ANSWER,
    },
    async ({ access, param }) => {
      const { name } = serverFor(access, param('name'));
      if (!managesServer(access, name)) throw notManager('retry this server');
      // The answer says what is still wrong.
      await mcp?.hub.retry(name).catch(() => undefined);
      return serverFor(access, name);
    },
  );
  routes.post(
    '/v1/servers/:name/sign-in',
    { summary: 'Starts the OAuth sign-in of this key to an MCP server.', answer: SIGN_IN_ANSWER },
    async ({ access, request, param }) => {
      const { name } = serverFor(access, param('name'));
      try {
        await mcp?.hub.connect(name, access.owner === '' ? {} : { user: access.owner });
        return { url: null };
      } catch (error) {
        const isAsked = error instanceof McpError && error.code === 'authorization_required';
        const address = isAsked ? signInAddress(request, settings.publicUrl) : undefined;
        const signIns = (await mcp?.hub.signIns(access.owner)) ?? [];
        // The page, not the authorization server: a sign-in must end in the browser that began it.
        if (address !== undefined && signIns.some(({ server }) => server === name)) {
          return { url: signInPage(address, name) };
        }
        const url = error instanceof McpError ? error.context.authorizationUrl : undefined;
        if (typeof url === 'string') return { url };
        throw new ApiError(409, error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
  );

  routes.get(
    '/v1/policies',
    {
      summary:
        'Policies set at run time, for the servers and tools that this admin key may use. They override the policies in the settings.',
      answer: POLICIES_ANSWER,
    },
    async ({ access }) => {
      checkManager(access, 'see policies');
      return { data: policies.list().filter((policy) => managesPolicy(access, policy)) };
    },
  );
  routes.patch(
    '/v1/policies',
    {
      summary:
        'Sets or removes policies of servers and tools. The policy `never` pins a tool: it is always sent in full. Requires an admin key that may use them.',
      body: POLICIES_BODY,
      answer: POLICIES_ANSWER,
    },
    async ({ access, readBody }) => {
      checkManager(access, 'change policies');
      const { changes } = await readBody<{ readonly changes: readonly WrittenChange[] }>();
      const denied = changes.find((change) => !managesPolicy(access, change));
      if (denied !== undefined)
        throw notManager(`change the policy of the ${denied.kind} '${denied.name.slice(0, 200)}'`);
      await policies.change(
        changes.map(({ kind, name, policy }) => ({ kind, name, policy: policy ?? undefined })),
        access.owner,
      );
      return { data: policies.list().filter((policy) => managesPolicy(access, policy)) };
    },
  );

  const changesFor = (access: Access) => serversFor(access).flatMap(({ changes }) => changes);
  routes.get(
    '/v1/approvals',
    { summary: 'Changed definitions that have not been accepted yet.', answer: APPROVALS_ANSWER },
    async ({ access }) => ({ data: changesFor(access) }),
  );
  routes.post(
    '/v1/approvals',
    {
      summary:
        'Accepts a changed definition. 409 if it has changed again. Requires an admin key that may use the tool.',
      body: APPROVAL_BODY,
      answer: APPROVAL_ANSWER,
    },
    async ({ access, readBody }) => {
      checkManager(access, 'accept definitions');
      const { tool, hash } = await readBody<{ readonly tool: string; readonly hash: string }>();
      const change = changesFor(access).find((one) => one.tool === tool);
      if (change === undefined) throw new ApiError(404, 'No change to this tool is waiting to be accepted');
      if (change.hash !== hash) throw changedAgain();
      if ((await mcp?.hub.acceptChange({ tool, hash })) !== true) throw changedAgain();
      await store?.audit.note({ actor: access.owner, action: 'definition.accept', subject: tool, detail: hash });
      return { type: 'definition_accepted', tool, hash };
    },
  );

  jsonRoutes(api, runner, 'catalogs').get(
    '/v1/catalogs/:name/tools',
    {
      summary: 'The tools of a catalog, each with its token cost, its number of calls, and what to review.',
      answer: TOOLS_ANSWER,
    },
    async ({ access, param }) => {
      const name = param('name');
      const isServed = mcp?.catalogs.has(name) === true;
      // Unavailable servers have no tools to list; their states say why.
      const { tools } = await loadCatalog(catalogs, name, access).catch((error: unknown) => {
        if (isServed && error instanceof ApiError && error.status === 502) return { tools: [] };
        throw error;
      });
      await usage.flush();
      const calls = await readCalls(store?.usage, access.isUnlimited ? undefined : access.owner);
      const facts = await describeTools(tools, {
        ...{ lint, calls },
        ...(isServed ? { suspicions: mcp?.hub.status().flatMap(({ suspicions }) => suspicions) ?? [] } : {}),
      });
      const head = {
        ...{ name, tokens: facts.tokens, deferred_tokens: facts.deferredTokens },
        context_tokens: contextWindow({}).contextTokens,
        suggested_pins: suggestPins(facts.uses),
      };
      return streamList(head, 'data', facts.tools);
    },
  );
}

function changedAgain(): ApiError {
  return new ApiError(409, 'The definition has changed again; review it again before you accept it');
}

interface WrittenChange extends Omit<PolicyChange, 'policy'> {
  readonly policy: PolicyChange['policy'] | null;
}

function checkManager({ role }: Access, what: string): void {
  if (role !== 'admin') throw notManager(what);
}

function notManager(what: string): ApiError {
  return new ApiError(403, `This key may not ${what}; that requires an admin key that may use it`);
}
