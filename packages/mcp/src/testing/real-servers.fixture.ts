import { createRequire } from 'node:module';
import type { StdioSettings } from '../hub/index.ts';

const require = createRequire(import.meta.url);

/** The servers that everybody uses, as installed. */
export function realServer(
  name: RealServer,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): StdioSettings {
  return { command: process.execPath, args: [require.resolve(SCRIPTS[name]), ...args], env };
}

export type RealServer = 'everything' | 'filesystem' | 'memory' | 'sequential-thinking' | 'git';

const SCRIPTS: Readonly<Record<RealServer, string>> = {
  everything: '@modelcontextprotocol/server-everything/dist/index.js',
  filesystem: '@modelcontextprotocol/server-filesystem/dist/index.js',
  memory: '@modelcontextprotocol/server-memory/dist/index.js',
  'sequential-thinking': '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
  git: '@cyanheads/git-mcp-server/index.js',
};
