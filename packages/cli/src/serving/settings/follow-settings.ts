import { unwatchFile, watchFile } from 'node:fs';
import { deepestReason } from '@quartermaster/core/internal';
import type { Config } from '@quartermaster/host/config';
import type { Hub, HubServers } from '@quartermaster/mcp';
import { counted } from '../../terminal/index.ts';

export interface FollowOptions {
  readonly hub: Pick<Hub, 'reconfigure'>;
  /** The settings at startup. */
  readonly config: Config;
  /** Reads the settings again. */
  load(): Promise<Config>;
  /** The servers in some settings. */
  serversOf(config: Config): HubServers;
  print(line: string): void;
  /** Calls back when a file changes, appears or disappears; returns a function that stops watching. @default checks once a second */
  watch?(file: string, onChange: () => void): () => void;
}

export interface FollowedSettings {
  /** Reads the settings again, now. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Keeps a hub's servers in line with the files. An unusable file changes nothing: it may be half written, and the next change
 * brings the rest.
 */
export function followSettings(options: FollowOptions): FollowedSettings {
  const { hub, load, serversOf, print, watch = watchByStat } = options;
  let current = options.config;
  let files: readonly (() => void)[] = [];
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;

  const reload = (): Promise<void> => {
    running = running.then(read);
    return running;
  };
  const follow = (): void => {
    for (const release of files) release();
    files = isClosed ? [] : [...new Set(current.files)].map((file) => watch(file, () => void reload()));
  };
  const read = async (): Promise<void> => {
    if (isClosed) return;
    try {
      const next = await load();
      if (isClosed) return;
      const before = serversOf(current);
      const isOtherFiles = next.files.join('\n') !== current.files.join('\n');
      current = next;
      const now = serversOf(next);
      if (isOtherFiles) follow();
      await hub.reconfigure(now);
      print(`settings reloaded: ${describeChange(before, now)}`);
    } catch (error) {
      // Whatever is wrong with a file, clients that are being served must not notice.
      print(`the settings are invalid, so the servers are unchanged: ${deepestReason(error)}`);
    }
  };
  follow();
  return {
    reload,
    close() {
      isClosed = true;
      follow();
    },
  };
}

function describeChange(before: HubServers, now: HubServers): string {
  const [old, current] = [Object.keys(before.servers), Object.keys(now.servers)];
  const same = (name: string): boolean => JSON.stringify(before.servers[name]) === JSON.stringify(now.servers[name]);
  const changes = {
    added: current.filter((name) => !old.includes(name)),
    removed: old.filter((name) => !current.includes(name)),
    changed: current.filter((name) => old.includes(name) && !same(name)),
  };
  const parts = Object.entries(changes).filter(([, names]) => names.length > 0);
  if (parts.length === 0) return `${counted(current.length, 'server')}, as before`;
  return parts.map(([what, names]) => `${what} ${names.join(', ')}`).join('; ');
}

/** Polling survives editors that replace the file, network drives, and files that don't exist yet. */
function watchByStat(file: string, onChange: () => void): () => void {
  const listener = (): void => onChange();
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}

const LOOK_EVERY_MS = 1_000;
