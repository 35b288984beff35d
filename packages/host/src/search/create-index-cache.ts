import { hash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { IndexCache } from '@quartermaster/core/search';
import { INDEX_CACHE_DEFAULTS, type IndexCacheSettings } from '../config/index.ts';
import type { IndexStore } from '../store/index.ts';
import { createDiskIndexCache } from './disk-index-cache.ts';

export interface IndexCacheParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The store that replicas share. @default disk only */
  readonly store?: IndexStore | undefined;
}

/** Where indexes are stored: on disk, then in the store. Undefined if both are switched off. */
export function createIndexCache(
  given: IndexCacheSettings | undefined,
  { env, store }: IndexCacheParts,
): IndexCache | undefined {
  const settings = given ?? INDEX_CACHE_DEFAULTS;
  const folder = indexCacheFolder(settings, env);
  const levels: IndexCache[] = [];
  if (folder !== undefined) levels.push(createDiskIndexCache({ folder, maxBytes: settings.diskBytes }));
  if (store !== undefined && settings.storeBytes > 0) {
    const { storeBytes: maxBytes } = settings;
    levels.push({ load: (key) => store.get(key), save: (key, bytes) => store.put(key, bytes, { maxBytes }) });
  }
  return levels.length === 0 ? undefined : layered(levels);
}

/**
 * The folder of the indexes on disk: `XDG_CACHE_HOME` applies everywhere, unless it is relative. Undefined if it is switched
 * off, or there is no such place.
 */
export function indexCacheFolder(
  { folder, diskBytes }: IndexCacheSettings,
  env: IndexCacheParts['env'],
): string | undefined {
  if (diskBytes === 0) return undefined;
  if (folder !== undefined) return folder;
  const chosen = env.XDG_CACHE_HOME;
  const base = chosen !== undefined && isAbsolute(chosen) ? chosen : userCacheFolder(env);
  return base === undefined ? undefined : join(base, 'quartermaster', 'indexes');
}

/** Undefined for a process without a home, such as a service without write access anywhere. */
function userCacheFolder({ HOME, LOCALAPPDATA }: IndexCacheParts['env']): string | undefined {
  if (process.platform === 'win32') return LOCALAPPDATA;
  if (HOME === undefined || !isAbsolute(HOME)) return undefined;
  return process.platform === 'darwin' ? join(HOME, 'Library', 'Caches') : join(HOME, '.cache');
}

/** The nearest level that has it answers, and the levels before it store it too. A level that fails is skipped. */
function layered(levels: readonly IndexCache[]): IndexCache {
  const saveTo = async (some: readonly IndexCache[], key: string, bytes: Uint8Array): Promise<void> => {
    await Promise.allSettled(some.map((level) => level.save(key, bytes)));
  };
  return {
    digest: (text) => hash('sha256', text),
    async load(key) {
      for (const [at, level] of levels.entries()) {
        const bytes = await level.load(key).catch(() => undefined);
        if (bytes === undefined) continue;
        // The reader notices a damaged one, rebuilds it, and stores it at every level.
        void saveTo(levels.slice(0, at), key, bytes);
        return bytes;
      }
      return undefined;
    },
    save: (key, bytes) => saveTo(levels, key, bytes),
  };
}
