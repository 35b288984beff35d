import { contextWindow, suggestPins } from '@quartermaster/core/gate';
import type { PolicyChange } from '@quartermaster/host/store';
import { compilePermissions, McpError } from '@quartermaster/mcp';
import type { Context } from 'hono';
import type { Access } from '../access/index.ts';
import { CATALOG_TOOLS } from '../api/catalog-operations.ts';
import { type Api, readJsonBody } from '../api/index.ts';
import {
  APPROVE,
  CHANGE_POLICIES,
  CHECK_SERVERS,
  GET_SERVER,
  LIST_APPROVALS,
  LIST_POLICIES,
  LIST_SERVERS,
  RETRY_SERVER,
  SIGN_IN,
} from '../api/management-operations.ts';
import { ApiError, anthropicErrorBody, type RequestContext } from '../http/index.ts';
import { checkServers, describeServers, describeTools } from '../management/index.ts';
import { ALL_SERVERS, permissionsOf } from '../mcp/index.ts';
import { signInAddress, signInPage } from '../sign-in/index.ts';
import { readCalls } from './catalog-usage.ts';
import type { Services } from './services.ts';

/** Management of MCP servers and the tools of catalogs: states, costs, policies, changed definitions. */
export function mountServerRoutes(api: Api, services: Services): void {
  const { runner, mcp, policies, catalogs, usage, store, lint, settings } = services;
  const receive = (context: Context, route: string, handler: (requestContext: RequestContext) => Promise<object>) =>
    runner.run(context.req.raw, {
      ...{ route, errorBody: anthropicErrorBody },
      handler: async (requestContext) => Response.json(await handler(requestContext)),
    });
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
      ...{ allowsTool, only },
    });
  };
  const serverFor = (access: Access, name: string) => {
    const [server] = serversFor(access, name);
    if (server === undefined) throw new ApiError(404, 'There is no MCP server of this name that this key may see');
    return server;
  };

  api.get('/v1/servers', LIST_SERVERS, (context) =>
    receive(context, 'servers', async ({ access }) => ({
      data: serversFor(access),
      may_manage: access.role === 'admin',
    })),
  );
  api.post('/v1/servers/check', CHECK_SERVERS, (context) =>
    receive(context, 'servers', async ({ access, request }) => {
      if (!access.isUnlimited)
        throw new ApiError(403, 'This key may not add servers; that requires an admin key without restrictions');
      const { text } = await readJsonBody<{ readonly text: string }>(request, CHECK_SERVERS.body);
      return checkServers(text, new Set(mcp?.hub.servers().map(({ name }) => name)));
    }),
  );
  api.get('/v1/servers/:name', GET_SERVER, (context) =>
    receive(context, 'servers', async ({ access }) => serverFor(access, context.req.param('name'))),
  );
  api.post('/v1/servers/:name/retry', RETRY_SERVER, (context) =>
    receive(context, 'servers', async ({ access }) => {
      const { name } = serverFor(access, context.req.param('name'));
      if (!managesServer(access, name)) throw notManager('retry this server');
      // The answer says what is still wrong.
      await mcp?.hub.retry(name).catch(() => undefined);
      return serverFor(access, name);
    }),
  );
  api.post('/v1/servers/:name/sign-in', SIGN_IN, (context) =>
    receive(context, 'servers', async ({ access, request }) => {
      const { name } = serverFor(access, context.req.param('name'));
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
    }),
  );

  api.get('/v1/policies', LIST_POLICIES, (context) =>
    receive(context, 'servers', async ({ access }) => {
      checkManager(access, 'see policies');
      return { data: policies.list().filter((policy) => managesPolicy(access, policy)) };
    }),
  );
  api.patch('/v1/policies', CHANGE_POLICIES, (context) =>
    receive(context, 'servers', async ({ access, request }) => {
      checkManager(access, 'change policies');
      const { changes } = await readJsonBody<{ readonly changes: readonly WrittenChange[] }>(
        request,
        CHANGE_POLICIES.body,
      );
      const denied = changes.find((change) => !managesPolicy(access, change));
      if (denied !== undefined)
        throw notManager(`change the policy of the ${denied.kind} '${denied.name.slice(0, 200)}'`);
      await policies.change(
        changes.map(({ kind, name, policy }) => ({ kind, name, policy: policy ?? undefined })),
        access.owner,
      );
      return { data: policies.list().filter((policy) => managesPolicy(access, policy)) };
    }),
  );

  const changesFor = (access: Access) => serversFor(access).flatMap(({ changes }) => changes);
  api.get('/v1/approvals', LIST_APPROVALS, (context) =>
    receive(context, 'servers', async ({ access }) => ({ data: changesFor(access) })),
  );
  api.post('/v1/approvals', APPROVE, (context) =>
    receive(context, 'servers', async ({ access, request }) => {
      checkManager(access, 'accept definitions');
      const { tool, hash } = await readJsonBody<{ readonly tool: string; readonly hash: string }>(
        request,
        APPROVE.body,
      );
      const change = changesFor(access).find((one) => one.tool === tool);
      if (change === undefined) throw new ApiError(404, 'No change to this tool is waiting to be accepted');
      if (change.hash !== hash) throw changedAgain();
      if ((await mcp?.hub.acceptChange({ tool, hash })) !== true) throw changedAgain();
      await store?.audit.note({ actor: access.owner, action: 'definition.accept', subject: tool, detail: hash });
      return { type: 'definition_accepted', tool, hash };
    }),
  );

  api.get('/v1/catalogs/:name/tools', CATALOG_TOOLS, (context) =>
    receive(context, 'catalogs', async ({ access }) => {
      const name = context.req.param('name');
      const rights = { owner: access.owner, mayUse: access.mayUseCatalog, tools: access.tools };
      const isServed = mcp?.catalogs.has(name) === true;
      const loading = catalogs.load([{ name, isDeferred: true }], rights);
      // Unavailable servers have no tools to list; their states say why.
      const [catalog] = await loading.catch((error: unknown) => {
        if (isServed && error instanceof ApiError && error.status === 502) return [];
        throw error;
      });
      const tools = catalog?.tools ?? [];
      await usage.flush();
      const calls = await readCalls(store?.usage, access.isUnlimited ? undefined : access.owner);
      const facts = await describeTools(tools, {
        ...{ lint, calls },
        ...(isServed ? { suspicions: mcp?.hub.status().flatMap(({ suspicions }) => suspicions) ?? [] } : {}),
      });
      const used = facts.tools.map(({ tool, calls: count }) => ({ tool, calls: count }));
      return {
        ...{ name, tokens: facts.tokens, deferred_tokens: facts.deferredTokens },
        context_tokens: contextWindow({}).contextTokens,
        suggested_pins: suggestPins(used),
        data: facts.tools,
      };
    }),
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
