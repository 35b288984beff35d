import { existsSync } from 'node:fs';
import { note } from '../command-io.ts';
import type { CommandContext, ServerFlags } from '../commands/index.ts';
import { loadSettings } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import { ledgerOf } from './install-client.ts';
import { findPlaces } from './places.ts';

/**
 * The files of the servers that were moved out of clients' files, if neither the command line nor the settings name any server:
 * `init` applies to a user, whichever folder a command runs in. Undefined if there are none, or if others are named.
 */
function findInstalledServers(place: ServerFlags, { io }: Pick<CommandContext, 'io'>): readonly string[] | undefined {
  if (place.mcpConfig !== undefined) return undefined;
  const installed = ledgerOf(findPlaces(io.env)).list();
  const files = [...new Set(installed.map(({ servers }) => servers.path))].filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  const { mcpServers, unusableServers } = loadSettings(place, io.env).config;
  return Object.keys(mcpServers).length + unusableServers.length > 0 ? undefined : files;
}

/** The same flags, with those files if they apply; stderr says so. */
export async function withInstalledServers<Flags extends ServerFlags>(
  flags: Flags,
  context: CommandContext,
): Promise<Flags> {
  const files = findInstalledServers(flags, context);
  if (files === undefined) return flags;
  await note(context.io, describeInstalled(files));
  return { ...flags, mcpConfig: files };
}

function describeInstalled(files: readonly string[]): string {
  const place = files.length > MOST_NAMED ? counted(files.length, 'file') : files.join(', ');
  return `The settings name no MCP servers: using those of your clients, in ${place}.`;
}

/** Further files are only counted. */
const MOST_NAMED = 2;
