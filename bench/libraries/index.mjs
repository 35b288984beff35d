import { flexsearch } from './flexsearch.mjs';
import { lance } from './lancedb.mjs';
import { minisearch } from './minisearch.mjs';
import { orama } from './orama.mjs';
import { quartermaster } from './quartermaster.mjs';
import { sqlite } from './sqlite.mjs';

/**
 * A library: `build` makes an index from the same tools, `search` gives the ten best, `bytes` says how large the index is where the
 * heap doesn't show it, `close` lets go of it. All but ours get texts that are ready to be indexed.
 */
export const LIBRARIES = [quartermaster, minisearch, orama, flexsearch, sqlite, lance];
