import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@quartermaster/host/config';
import { write } from '../command-io.ts';
import type { CommandContext } from '../commands/index.ts';
import { InputError } from '../input-error.ts';
import { projectsIn, readSeen, serversIn } from './client-file.ts';
import { CLIENTS, ofProject } from './known-clients.ts';
import type { Installed, Ledger } from './ledger.ts';
import type { McpClient } from './mcp-client.ts';
import type { Places } from './places.ts';
import { isOurselves } from './plan-install.ts';

/** A client on this machine that has servers, or one of its projects. */
export interface FoundClient {
  readonly client: McpClient;
  readonly file: string;
  readonly servers: readonly string[];
  /** Whether the file belongs to a project, which may share it: such a file is moved only if it is named. */
  readonly isShared?: true;
}

/** Every client with servers. A file that can't be read is named on stderr and skipped. */
export async function findClients(
  places: Places,
  { io }: Pick<CommandContext, 'io'>,
  folder: string,
): Promise<readonly FoundClient[]> {
  const found: FoundClient[] = [];
  for (const client of CLIENTS) {
    const file = findClientFile(client, places);
    const isClaude = client.id === 'claude-code';
    try {
      if (file !== undefined) found.push(...scopesOf(client, file));
      if (isClaude) found.push(...sharedFiles(client, file === undefined ? [folder] : [folder, ...projectsOf(file)]));
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof InputError)) throw error;
      await write(io.stderr, `${client.name} is skipped: ${error.message}\n`);
    }
  }
  return found;
}

/** The file of a client on this machine. */
export function findClientFile(client: McpClient, places: Places): string | undefined {
  return client.files(places).find((file) => existsSync(file));
}

/** The record of an earlier move of the same servers. */
export function findInstalled(ledger: Ledger, client: McpClient, file: string): Installed | undefined {
  const path = realpathSync(file);
  return ledger.list().find((one) => one.client === client.id && one.file === path && one.project === client.project);
}

/** The user's servers, then those of each project that Claude Code keeps in the same file. */
function scopesOf(client: McpClient, file: string): readonly FoundClient[] {
  const { text } = readSeen(file);
  const scopes = client.id === 'claude-code' ? projectsOf(file).map((project) => ofProject(client, project)) : [];
  return [client, ...scopes].flatMap((scope) => {
    const servers = namesIn(file, text, scope.project);
    return servers.length === 0 ? [] : [{ client: scope, file, servers }];
  });
}

function projectsOf(file: string): readonly string[] {
  return projectsIn(file, readSeen(file).text);
}

/** Files that Claude Code reads in the folders of projects. */
function sharedFiles(client: McpClient, folders: readonly string[]): readonly FoundClient[] {
  const files = new Set(folders.map((folder) => join(folder, '.mcp.json')).filter((file) => existsSync(file)));
  return [...files].flatMap((file) => {
    const servers = namesIn(file, readSeen(file).text);
    return servers.length === 0 ? [] : [{ client, file, servers, isShared: true as const }];
  });
}

/** Disabled servers cost nothing, and our own entry is not one of theirs. */
function namesIn(file: string, text: string, project?: string): readonly string[] {
  const servers = serversIn(file, text, project)?.servers ?? [];
  return servers.filter((server) => !server.isOff && !isOurselves(server)).map(({ name }) => name);
}
