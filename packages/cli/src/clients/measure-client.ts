import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import type { CommandIo } from '../command-io.ts';
import type { ProxyForm } from '../commands/index.ts';
import { measureConfigured, type ServerCost, type ServerCosts } from '../serving/index.ts';
import { counted } from '../terminal/index.ts';
import { readSeen, serversIn } from './client-file.ts';
import type { McpClient } from './known-clients.ts';

interface Scope {
  readonly client: McpClient;
  readonly file: string;
}

interface Measuring {
  readonly io: Pick<CommandIo, 'env' | 'stderr'>;
  readonly context?: number;
  readonly form?: ProxyForm | undefined;
}

/** Starts the servers of one client before they are moved, and counts what their tools cost. No client sends another's tools. */
export async function measureClient(scope: Scope, { io, context, form }: Measuring): Promise<ServerCosts> {
  const { client, file } = scope;
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-'));
  try {
    const own = client.project === undefined ? file : copyProject(scope, join(folder, 'servers.json'));
    const { costs } = await measureConfigured(
      { mcpConfig: [own], ...defined({ context }) },
      {
        ...{ io, form },
        onStart: (servers) =>
          void io.stderr.write(`Starting ${counted(servers, 'server')} of ${client.name} to measure the cost…\n`),
      },
    );
    return { ...costs, servers: costs.servers.map(describeAfterMove) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An answer to an input belongs to one file, and the servers are about to move to another. */
function describeAfterMove(server: ServerCost): ServerCost {
  const reason = server.reason?.replace('; answer it once with: ', '; after the move, answer it once with: ');
  return { ...server, ...defined({ reason }) };
}

/** A project's servers are part of Claude Code's file, and the settings name whole files. */
function copyProject({ client, file }: Scope, path: string): string {
  const found = serversIn(file, readSeen(file).text, client.project);
  const usable = (found?.servers ?? []).filter(({ isOff, problems }) => !isOff && problems.length === 0);
  const mcpServers = Object.fromEntries(usable.map(({ name, entry }) => [name, entry]));
  writeFileSync(path, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return path;
}
