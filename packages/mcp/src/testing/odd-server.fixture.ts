import { fileURLToPath } from 'node:url';
import type { StdioSettings } from '../hub/index.ts';

/** Settings for the misbehaving server in one of its modes. */
export function oddServer(mode: string, more: Partial<StdioSettings> = {}): StdioSettings {
  const script = fileURLToPath(new URL('./odd-server.fixture.mjs', import.meta.url));
  return { command: process.execPath, args: [script, mode], ...more };
}
