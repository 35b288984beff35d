import { compilePermissions, McpError } from '@quartermaster/mcp';
import type { Access } from '../access/index.ts';
import { type Api, jsonRoutes } from '../api/index.ts';
import { described, FLAG, list, record, TEXT } from '../api/schema.ts';
import { ApiError, isStoreError } from '../http/index.ts';
import { permissionsOf } from '../mcp/index.ts';
import {
  bindToBrowser,
  isBound,
  outcomePage,
  SIGN_IN_HTML,
  SIGN_IN_SCRIPT,
  SIGN_IN_STYLE,
  signInAddress,
} from '../sign-in/index.ts';
import { ASSET_HEADERS, PAGE_HEADERS } from './console-routes.ts';
import type { Services } from './services.ts';

/** Where users sign in to the configured MCP servers, each for their own key. */
export function mountSignInRoutes(api: Api, { runner, settings, mcp }: Services): void {
  if (mcp === undefined) return;
  const { hub } = mcp;
  const routes = jsonRoutes(api, runner, 'mcp');
  const signInsOf = async (access: Access) => {
    const servers = hub.servers().map(({ name }) => name);
    const { allowsServer } = compilePermissions(permissionsOf(access, servers));
    return (await hub.signIns(access.owner)).filter(({ server }) => allowsServer(server));
  };

  routes.get(
    '/v1/sign-ins',
    {
      summary: 'The MCP servers that this key can sign in to, and whether it is signed in.',
      answer: record({ data: list(record({ server: TEXT, signed_in: FLAG })) }),
    },
    async ({ access }) => {
      const data = await signInsOf(access);
      return { data: data.map(({ server, isSignedIn }) => ({ server, signed_in: isSignedIn })) };
    },
  );
  routes.post(
    '/v1/sign-ins',
    {
      summary: 'Starts the OAuth sign-in of this key to an MCP server, in the browser that sends the request.',
      body: record({ server: TEXT }),
      answer: record({ url: described(TEXT, 'Where the browser goes next.') }),
    },
    async ({ access, request, readBody }) => {
      const { server } = await readBody<{ readonly server: string }>();
      if (!(await signInsOf(access)).some((one) => one.server === server)) {
        throw new ApiError(404, 'There is no MCP server of this name that this key signs in at');
      }
      const address = signInAddress(request, settings.publicUrl);
      if (address === undefined) throw new ApiError(409, NO_ADDRESS);
      const callback = `${address}/sign-in/callback`;
      const url = await hub.beginSignIn(server, access.owner, callback).catch((error: unknown) => {
        throw new ApiError(502, `The sign-in can't begin: ${messageOf(error)}`, { cause: error });
      });
      if (url === undefined) throw new ApiError(409, 'No sign-in can begin here: this gateway keeps no tokens');
      return Response.json({ url }, { headers: { 'set-cookie': bindToBrowser(url, callback), ...NO_STORE } });
    },
  );

  const open = (summary: string, answerType: string) => ({ endpoint: undefined, summary, answer: TEXT, answerType });
  const page = open('The page where users sign in to MCP servers; it asks for a key.', 'text/html');
  api.get('/sign-in', page, () => html(200, SIGN_IN_HTML));
  const script = open('The script of the sign-in page.', 'text/javascript');
  api.get('/sign-in/page.js', script, () => asset(SIGN_IN_SCRIPT, script.answerType));
  const style = open('The style sheet of the sign-in page.', 'text/css');
  api.get('/sign-in/page.css', style, () => asset(SIGN_IN_STYLE, style.answerType));
  // Without a key: the state and its cookie identify the user.
  const callback = { ...open('The OAuth redirect URL.', 'text/html'), failure: TEXT, failureType: 'text/html' };
  api.get('/sign-in/callback', callback, async (context) => {
    const params = new URL(context.req.url).searchParams;
    if (!isBound(context.req.header('cookie'), params.get('state') ?? '')) return html(400, NOT_BOUND);
    try {
      const { server } = await hub.finishSignIn(params);
      return html(200, outcomePage('Signed in', `You are signed in at ${server}. You can close this window.`));
    } catch (error) {
      return html(400, outcomePage('Not signed in', messageOf(error)));
    }
  });
}

const NO_ADDRESS = 'No sign-in can begin here: set listen.publicUrl to the address that browsers use for this gateway';

const NOT_BOUND = outcomePage(
  'Not signed in',
  'This sign-in was not begun in this browser, under the address of this page. Begin it again here.',
);

const NO_STORE = { 'cache-control': 'no-store' };

function html(status: number, body: string): Response {
  const headers = { ...PAGE_HEADERS, ...NO_STORE, 'content-type': 'text/html; charset=utf-8' };
  return new Response(body, { status, headers });
}

function asset(body: string, type: string): Response {
  const headers = { ...ASSET_HEADERS, 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' };
  return new Response(body, { headers });
}

/** Our own errors are written for people; messages from elsewhere are not shown. */
function messageOf(error: unknown): string {
  return error instanceof McpError || isStoreError(error)
    ? error.message
    : 'the server or its authorization server did not answer as it should';
}
