import { writeTool } from '@quartermaster/core/catalog';
import type { CatalogStore } from '@quartermaster/host/store';
import type { CommandIo } from '../../command-io.ts';
import { readTools } from '../../input/index.ts';
import { findSampleCatalog } from '../../sample-catalog.ts';

/** The name of the sample catalog in requests. */
export const SAMPLE_NAME = 'sample';

export interface StoredSample {
  readonly tools: number;
  readonly services: number;
}

/** Stores the sample catalog, so that requests can name it. It replaces the one that an earlier version stored. */
export async function storeSampleCatalog(catalogs: CatalogStore, io: Pick<CommandIo, 'stdin'>): Promise<StoredSample> {
  const { snapshot } = await readTools(findSampleCatalog().tools, { stdin: io.stdin });
  const definitions = snapshot.tools.map((tool) => ({ ...writeTool(tool, 'mcp'), server: tool.server }));
  await catalogs.put({
    name: SAMPLE_NAME,
    hash: snapshot.hash,
    tools: JSON.stringify(definitions),
    toolCount: snapshot.tools.length,
  });
  return { tools: snapshot.tools.length, services: snapshot.servers.length };
}
