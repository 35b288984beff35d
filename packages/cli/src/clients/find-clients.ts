import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import { ConfigError } from '@quartermaster/host/config';
import { note } from '../command-io.ts';
import type { CommandContext } from '../commands/index.ts';
import { InputError } from '../input-error.ts';
import { shellWord } from '../terminal/index.ts';
import { projectsIn, readSeen, serversIn } from './client-file.ts';
import { CLIENTS, type McpClient, ofProject } from './known-clients.ts';
import type { Places } from './places.ts';
import { isOurselves } from './plan-install.ts';

/** A client on this machine that has servers, or one of its projects. */
export interface FoundClient {
  readonly client: McpClient;
  readonly file: string;
  readonly servers: readonly string[];
  /** The client's name, with the file if it has several. */
  readonly label: string;
  /** What `mcp install` is given to move these servers alone. */
  readonly install: string;
  /** Whether the file belongs to a project, which may share it: such a file is moved only if it is named. */
  readonly isShared?: true;
}

/** Every client with servers, in the user's files and in those of projects. A file that can't be read is named on stderr and skipped. */
export async function findClients(
  places: Places,
  { io }: Pick<CommandContext, 'io'>,
  folder: string,
): Promise<readonly FoundClient[]> {
  const found: FoundClient[] = [];
  // Claude Code comes first, and knows more projects than the one we are in.
  const folders = [folder];
  for (const client of CLIENTS) {
    const files = client.files(places).filter((file) => existsSync(file));
    const own: Scope[] = [];
    const read = async (file: string, isShared: boolean): Promise<void> => {
      try {
        own.push(...(isShared ? serversOf(client, file, true) : scopesOf(client, file)));
        if (client.id === 'claude-code' && !isShared) folders.push(...projectsOf(file));
      } catch (error) {
        if (!(error instanceof ConfigError || error instanceof InputError)) throw error;
        await note(io, `${client.name} is skipped: ${error.message}`);
      }
    };
    for (const file of files) await read(file, false);
    for (const file of projectFiles(client, folders)) if (!files.includes(file)) await read(file, true);
    found.push(...own.map((scope) => describe(scope, files[0])));
  }
  return found;
}

type Scope = Pick<FoundClient, 'client' | 'file' | 'servers' | 'isShared'>;

function describe(scope: Scope, first: string | undefined): FoundClient {
  const { client, file } = scope;
  if (client.project !== undefined) {
    return { ...scope, label: client.name, install: `${client.id} --project ${shellWord(client.project)}` };
  }
  if (file === first) return { ...scope, label: client.name, install: client.id };
  return { ...scope, label: `${client.name}, ${file}`, install: `${client.id} --file ${shellWord(file)}` };
}

/** The file of a client on this machine. */
export function findClientFile(client: McpClient, places: Places): string | undefined {
  return client.files(places).find((file) => existsSync(file));
}

/** The user's servers, then those of each project that Claude Code keeps in the same file. */
function scopesOf(client: McpClient, file: string): readonly Scope[] {
  const scopes = client.id === 'claude-code' ? projectsOf(file).map((project) => ofProject(client, project)) : [];
  return [client, ...scopes].flatMap((scope) => serversOf(scope, file));
}

function serversOf(client: McpClient, file: string, isShared?: true): readonly Scope[] {
  const servers = namesIn(file, readSeen(file).text, client.project);
  return servers.length === 0 ? [] : [{ client, file, servers, ...defined({ isShared }) }];
}

function projectsOf(file: string): readonly string[] {
  return projectsIn(file, readSeen(file).text);
}

/** Files that a client reads in the folders of projects. */
function projectFiles({ projectFiles: names = [] }: McpClient, folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...new Set(files)].filter((file) => existsSync(file));
}

/** Disabled servers cost nothing, and our own entry is not one of theirs. */
function namesIn(file: string, text: string, project?: string): readonly string[] {
  const servers = serversIn(file, text, project)?.servers ?? [];
  return servers.filter((server) => !server.isOff && !isOurselves(server)).map(({ name }) => name);
}
