import { createRequire } from 'node:module';
import type { McpServerConfig } from '../index.ts';

const require = createRequire(import.meta.url);

/** The servers that everybody uses, as installed. */
export function realServer(
  name: keyof typeof SCRIPTS,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): McpServerConfig {
  return { command: process.execPath, args: [SCRIPTS[name], ...args], env };
}

const SCRIPTS = {
  everything: require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: require.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  'sequential-thinking': require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
};
