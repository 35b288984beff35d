import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import { InputError } from '../input-error.ts';
import { hashOf, readSeen, replaceFile } from './client-file.ts';
import type { Installed, Ledger } from './ledger.ts';
import type { InstallPlan } from './plan-install.ts';

/** Writes what was planned: the backup first, the client's file last. Refuses if the file has changed since it was planned. */
export function applyInstall(plan: InstallPlan, ledger: Ledger, now: Date): Installed {
  const { client, seen, after, servers, moved } = plan;
  refuseChange(plan);
  const backup = join(ledger.folder, client.id, `backup-${seen.hash.slice(0, 12)}${extname(seen.path)}`);
  const installed: Installed = {
    ...{ client: client.id, file: seen.path, backup, moved, at: now.toISOString() },
    ...defined({ project: client.project }),
    ...{ servers: { path: servers.path, hash: hashOf(servers.text) }, before: seen.hash, after: hashOf(after) },
  };
  replaceFile(backup, seen.bytes);
  replaceFile(servers.path, servers.text);
  ledger.add(installed);
  refuseChange(plan);
  replaceFile(seen.path, after);
  return installed;
}

/** A new file for servers: the one of an earlier move may have been edited since. `taken` are planned but not written yet. */
export function freeServersFile(ledger: Ledger, client: string, taken: readonly string[] = []): string {
  for (let number = 1; ; number += 1) {
    const path = join(ledger.folder, client, number === 1 ? 'servers.json' : `servers-${number}.json`);
    if (!existsSync(path) && !taken.includes(path)) return path;
  }
}

function refuseChange({ seen, client }: InstallPlan): void {
  if (readSeen(seen.path).hash === seen.hash) return;
  throw new InputError(
    `${seen.path} has changed in the meantime, perhaps by ${client.name}. It was not modified; run the command again.`,
  );
}

/** Whether a file still has the content with this hash. */
export function isUnchanged(path: string, hash: string): boolean {
  return existsSync(path) && hashOf(readFileSync(path)) === hash;
}
