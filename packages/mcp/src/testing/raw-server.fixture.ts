import { fileURLToPath } from 'node:url';
import type { StdioSettings } from '../hub/index.ts';

export interface RawServerOptions {
  /** What it says that it has, beside tools. */
  readonly capabilities?: object;
  /** The methods that it never answers. */
  readonly silent?: readonly string[];
}

/**
 * Settings for a server whose one tool, `answer`, is answered with the `line` in its arguments. In it `$ID` stands for the request's id,
 * `$LEVEL` for the level that was set for logging, and `$LONG` for as many characters as the argument `long` says.
 */
export function rawServer(options: RawServerOptions = {}, more: Partial<StdioSettings> = {}): StdioSettings {
  const script = fileURLToPath(new URL('./raw-server.fixture.mjs', import.meta.url));
  return { command: process.execPath, args: [script, JSON.stringify(options)], ...more };
}
