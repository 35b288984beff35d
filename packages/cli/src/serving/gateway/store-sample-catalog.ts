import { SNAPSHOT_DEFAULTS, writeTool } from '@quartermaster/core/catalog';
import type { CatalogStore } from '@quartermaster/host/store';
import type { CommandIo } from '../../command-io.ts';
import { readTools } from '../../input/index.ts';
import { findSampleCatalog } from '../../sample-catalog.ts';

/** The name by which requests ask for the sample catalog. */
export const SAMPLE_NAME = 'sample';

export interface StoredSample {
  readonly tools: number;
  readonly services: number;
}

/** Puts the sample catalog where requests can name it. Ours is always the current one, whatever a former version left there. */
export async function storeSampleCatalog(catalogs: CatalogStore, io: Pick<CommandIo, 'stdin'>): Promise<StoredSample> {
  const { snapshot } = await readTools(findSampleCatalog().tools, {
    stdin: io.stdin,
    maxTools: SNAPSHOT_DEFAULTS.maxTools,
  });
  const definitions = snapshot.tools.map((tool) => ({ ...writeTool(tool, 'mcp'), server: tool.server }));
  await catalogs.put({
    name: SAMPLE_NAME,
    hash: snapshot.hash,
    tools: JSON.stringify(definitions),
    toolCount: snapshot.tools.length,
  });
  return { tools: snapshot.tools.length, services: snapshot.servers.length };
}
