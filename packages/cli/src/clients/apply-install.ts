import { existsSync, readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { InputError } from '../input-error.ts';
import { hashOf, rawServers, readSeen, replaceFile, serversIn } from './client-file.ts';
import { editServers } from './edit-servers.ts';
import { CLIENTS, ofProject } from './known-clients.ts';
import type { Installed, Ledger } from './ledger.ts';
import { blockOf, type InstallPlan, OUR_NAME } from './plan-install.ts';

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

/** How a client's file was restored. */
type Undone =
  /** Byte for byte. */
  | { readonly kind: 'whole' }
  /** The client or its user has changed the file since: only the servers were restored. */
  | { readonly kind: 'servers'; readonly backup: string }
  /** The file is gone. */
  | { readonly kind: 'gone'; readonly backup: string };

/** Restores a client's file. The file of its servers is kept if it was edited. */
export function undoInstall(installed: Installed, ledger: Ledger): Undone & { readonly keptServers?: string } {
  const undone = restore(installed);
  ledger.remove(installed);
  // Files with the same content share a backup.
  const isShared = ledger.list().some(({ backup }) => backup === installed.backup);
  if (undone.kind === 'whole' && !isShared) rmSync(installed.backup, { force: true });
  const isOurs = isUnchanged(installed.servers.path, installed.servers.hash);
  if (isOurs) rmSync(installed.servers.path, { force: true });
  return !isOurs && existsSync(installed.servers.path) ? { ...undone, keptServers: installed.servers.path } : undone;
}

function restore({ client, file, project, backup, after, moved }: Installed): Undone {
  if (!existsSync(file)) return { kind: 'gone', backup };
  const seen = readSeen(file);
  const original = readSeen(backup).bytes;
  if (seen.hash === after) {
    replaceFile(seen.path, original);
    return { kind: 'whole' };
  }
  const whole = CLIENTS.find(({ id }) => id === client);
  const known = whole === undefined || project === undefined ? whole : ofProject(whole, project);
  const before = serversIn(file, original.toString('utf8'), project);
  if (known === undefined || before === undefined) return { kind: 'gone', backup };
  const block = blockOf(known, before.document);
  const now = rawServers(serversIn(file, seen.text, project)?.document, block);
  const raw = rawServers(before.document, block);
  const stayed = [...raw.keys()].filter((name) => !moved.includes(name));
  const isUntouched = [...now.keys()].sort().join('\n') === [...stayed, OUR_NAME].sort().join('\n');
  const swapped = isUntouched ? swapBlock(seen.text, original.toString('utf8'), block) : undefined;
  const missing = [...raw].filter(([name]) => moved.includes(name) && !now.has(name));
  const text =
    swapped ??
    editServers(file, seen.text, {
      ...{ block, project },
      remove: now.has(OUR_NAME) ? [OUR_NAME] : [],
      add: Object.fromEntries(missing),
    });
  replaceFile(seen.path, text);
  return { kind: 'servers', backup };
}

/** In JSON whose servers have not changed since, the block is restored as it was written. */
function swapBlock(text: string, original: string, block: readonly string[]): string | undefined {
  const [here, there] = [text, original].map((one) => {
    const tree = /^\uFEFF?\s*[{/]/.test(one)
      ? parseTree(one.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
      : undefined;
    return tree === undefined ? undefined : findNodeAtLocation(tree, [...block]);
  });
  if (here === undefined || there === undefined) return undefined;
  const written = original.slice(there.offset, there.offset + there.length);
  return text.slice(0, here.offset) + written + text.slice(here.offset + here.length);
}
