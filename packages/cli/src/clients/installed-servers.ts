import { existsSync } from 'node:fs';
import { note } from '../command-io.ts';
import type { CommandContext, ServerFlags } from '../commands/index.ts';
import { loadSettings } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import { ledgerOf } from './install-client.ts';
import { findPlaces } from './places.ts';

/**
 * The flags with the files of the servers that were moved out of clients' files, if neither the command line nor the settings name any
 * server: `init` applies to a user, whichever folder a command runs in. Stderr says so.
 */
export async function withInstalledServers<Flags extends ServerFlags>(
  flags: Flags,
  { io }: CommandContext,
): Promise<Flags> {
  if (flags.mcpConfig !== undefined) return flags;
  const installed = ledgerOf(findPlaces(io.env)).list();
  const files = [...new Set(installed.map(({ servers }) => servers.path))].filter((file) => existsSync(file));
  if (files.length === 0) return flags;
  const { mcpServers, unusableServers } = loadSettings(flags, io.env).config;
  if (Object.keys(mcpServers).length + unusableServers.length > 0) return flags;
  const place = files.length > MOST_NAMED ? counted(files.length, 'file') : files.join(', ');
  await note(io, `The settings name no MCP servers: using those of your clients, in ${place}.`);
  return { ...flags, mcpConfig: files };
}

/** Further files are only counted. */
const MOST_NAMED = 2;
