import { spawn } from 'node:child_process';

/** Opens an address in the user's browser, if there is one. It does not report whether that worked. */
export function openBrowser(url: string): void {
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
