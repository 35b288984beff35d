import { spawn } from 'node:child_process';
import type { Config, RemoteServerSettings } from '@quartermaster/host/config';
import type { Store } from '@quartermaster/host/store';
import { scopesToAskFor } from '@quartermaster/mcp';
import { note } from '../../command-io.ts';
import type { CommandContext, ServerFlags } from '../../commands/index.ts';
import { EXIT } from '../../exit-code.ts';
import { InputError } from '../../input-error.ts';
import { counted } from '../../terminal/index.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { describeStore, makeTokenKey, withNamedStore, withStore } from '../store/open-configured-store.ts';
import { signIn } from './sign-in.ts';

interface LogoutFlags extends ServerFlags {
  /** The id of a gateway's key. @default the one user of this machine */
  readonly user?: string;
}

interface LoginFlags extends LogoutFlags {
  /** @default any free one */
  readonly port?: number;
  /** Whether a browser may be opened. */
  readonly browser: boolean;
}

/** How long a person may take to sign in. */
const PATIENCE_MS = 5 * 60_000;

/** Signs in to a server. Stdout has the address to open and nothing else. */
export async function loginToServer(server: string, flags: LoginFlags, { io }: CommandContext): Promise<void> {
  const { port = 0, browser, user = '', ...place } = flags;
  const { config } = loadSettings(place, io.env);
  const settings = remoteServer(config, server);
  // First make sure that the tokens can be stored.
  makeTokenKey(config.store);
  await withStore(config.store, async (store) => {
    const scopes = await scopesToAskFor(store.tokens, { user, server }).catch(() => []);
    const outcome = await signIn({
      ...{ server, settings: withScopes(settings, scopes), port, timeoutMs: PATIENCE_MS, store },
      onAddress(url) {
        io.stderr.write('Sign in here. This command continues when you are done:\n\n');
        io.stdout.write(`${url}\n`);
        if (browser && io.stdout.isTTY === true) openBrowser(url);
      },
    });
    if (outcome.kind === 'not-needed') {
      await note(io, `${JSON.stringify(server)} requires no sign-in: ${counted(outcome.tools, 'tool')}.`);
      return;
    }
    await store.tokens.put({ user, server }, outcome.kept);
    const where = describeStore(config.store);
    await note(
      io,
      `Signed in to ${JSON.stringify(server)}: ${counted(outcome.tools, 'tool')}. The tokens are stored encrypted: ${where}`,
    );
  });
}

/** The settings, with the scopes that the previous sign-in was refused for: the same request would change nothing. */
function withScopes(settings: RemoteServerSettings, more: readonly string[]): RemoteServerSettings {
  if (more.length === 0) return settings;
  const oauth = typeof settings.oauth === 'object' ? settings.oauth : {};
  return { ...settings, oauth: { ...oauth, scopes: [...new Set([...(oauth.scopes ?? []), ...more])] } };
}

export async function logoutFromServer(server: string, flags: LogoutFlags, context: CommandContext): Promise<void> {
  const { user = '' } = flags;
  const isKnown = await withNamedStore(flags, context, (store) => forget(store, { user, server }));
  const name = JSON.stringify(server);
  await note(
    context.io,
    isKnown ? `Signed out of ${name}: its tokens are deleted here.` : `No one is signed in to ${name}.`,
  );
  if (!isKnown) context.exit(EXIT.nothingFound);
}

/** Also deletes values that can't be read, for example after the key was changed. */
async function forget({ tokens }: Store, owner: { readonly user: string; readonly server: string }): Promise<boolean> {
  const isKnown = await tokens.get(owner).then(
    (value) => value !== undefined,
    () => true,
  );
  if (isKnown) await tokens.delete(owner);
  return isKnown;
}

function remoteServer({ mcpServers }: Config, name: string): RemoteServerSettings {
  const settings = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
  if (settings !== undefined && 'url' in settings) return settings;
  if (settings !== undefined) throw new InputError(`${JSON.stringify(name)} is a local command and has no sign-in`);
  const remote = Object.keys(mcpServers).filter((key) => 'url' in (mcpServers[key] ?? {}));
  const known = remote.length === 0 ? 'none; name a file with --mcp-config' : remote.join(', ');
  throw new InputError(`There is no server ${JSON.stringify(name)}. Servers with a URL: ${known}`);
}

/** Opens an address in the user's browser, if there is one. It does not report whether that worked. */
function openBrowser(url: string): void {
  // The address comes from a server: only web pages are opened.
  if (!/^https?:\/\//i.test(url)) return;
  const [command, ...args] = commandFor(url);
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

function commandFor(url: string): readonly [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', url];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', url];
    default:
      return ['xdg-open', url];
  }
}
