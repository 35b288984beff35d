import { spawn } from 'node:child_process';

/** Opens an address in the user's browser, if there is one; whether it did is for the user to see. */
export function openBrowser(url: string): void {
  // The address comes from a server: nothing but a web page is opened for it.
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
