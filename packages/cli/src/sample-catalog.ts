import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from './input-error.ts';

/** The sample catalog's files. */
export interface SampleCatalog {
  /** Files of tools, in order of service. */
  readonly tools: readonly string[];
  /** Files of labelled queries. */
  readonly queries: readonly string[];
}

/** The catalog that comes with the command: packed beside it if installed, `examples/catalog` in the repository. */
export function findSampleCatalog(): SampleCatalog {
  const folder = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(join(path, 'services')),
  );
  if (folder === undefined) {
    throw new InputError('The sample catalog is missing from this installation; name a catalog with --tools');
  }
  const services = join(folder, 'services');
  return { tools: filesIn(services, '.json'), queries: filesIn(folder, '.jsonl') };
}

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}

/** The packed one first: in an installation, the second path is outside the package. */
const PLACES = ['../data/catalog', '../../../examples/catalog'];
