import { fileURLToPath } from 'node:url';
import type { StdioSettings } from '../hub/index.ts';

export interface RawServerOptions {
  /** What it says that it has, beside tools. */
  readonly capabilities?: object;
  /** The methods that it never answers. */
  readonly silent?: readonly string[];
}

/** Settings for a server whose one tool, `answer`, is answered with the `line` in its arguments: `$ID` in it stands for the request's. */
export function rawServer(options: RawServerOptions = {}, more: Partial<StdioSettings> = {}): StdioSettings {
  const script = fileURLToPath(new URL('./raw-server.fixture.mjs', import.meta.url));
  return { command: process.execPath, args: [script, JSON.stringify(options)], ...more };
}
