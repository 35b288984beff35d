import type { IndexCacheSettings } from './config.ts';
import { text, whole } from './scalar-shapes.ts';
import { object, type Shape } from './shape.ts';

const MEBIBYTE = 1024 * 1024;

/** The default limits of stored indexes. */
export const INDEX_CACHE_DEFAULTS: IndexCacheSettings = { diskBytes: 512 * MEBIBYTE, storeBytes: 1024 * MEBIBYTE };

const upTo = (): Shape<number> => whole({ min: 0, max: Number.MAX_SAFE_INTEGER });

export const INDEX_CACHE: Shape<IndexCacheSettings> = object({
  folder: {
    about:
      "The folder on disk, relative to this file's. Defaults to quartermaster/indexes in the user's cache folder (XDG_CACHE_HOME).",
    shape: text(),
  },
  diskBytes: {
    about: 'Maximum size of all indexes on disk; the least recently used are deleted first. 0 keeps none.',
    shape: upTo(),
    default: INDEX_CACHE_DEFAULTS.diskBytes,
  },
  storeBytes: {
    about: 'The same for indexes in the store, which the replicas of a gateway share. 0 keeps none.',
    shape: upTo(),
    default: INDEX_CACHE_DEFAULTS.storeBytes,
  },
});
