import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, INDEX_CACHE_DEFAULTS } from '@quartermaster/host/config';
import { indexCacheFolder } from '@quartermaster/host/search';
import type { CommandIo } from '../command-io.ts';
import { count } from '../terminal/index.ts';
import { type Check, ok, remark } from './check.ts';

/** Where indexes are cached on disk, and how much space they take. */
export function checkCache({ search }: Pick<Config, 'search'>, env: CommandIo['env']): Check {
  const settings = search.cache ?? INDEX_CACHE_DEFAULTS;
  const folder = indexCacheFolder(settings, env);
  if (folder === undefined) {
    return remark('cache', 'indexes are not kept on disk, so every start rebuilds them');
  }
  const sizes = namesIn(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  const taken = sizes.reduce((sum, size) => sum + size, 0);
  const share = `${mebibytes(taken)} of ${mebibytes(settings.diskBytes)}`;
  return ok('cache', `indexes are kept in ${folder} (${share}); you can delete the folder at any time`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is created when the first index is cached.
    return [];
  }
}

function mebibytes(bytes: number): string {
  return `${count(Math.round(bytes / 1024 / 1024))} MiB`;
}
