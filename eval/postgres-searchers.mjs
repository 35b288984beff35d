// Searchers whose catalogs are in a PostgreSQL from npm.
import { createPostgresSearcher } from '@quartermaster/host/search';
import { openStore } from '@quartermaster/host/store';
import { embeddedModel } from '@quartermaster/semantic';
import { startPostgres } from '../lab/processes/postgres.mjs';

export async function startDatabase() {
  const server = await startPostgres();
  const store = await openStore({ url: server.url });
  const index = await store.openToolIndex({ embedder: embeddedModel() });
  let catalogs = 0;
  return {
    async createSearcher(snapshot) {
      catalogs += 1;
      const name = `catalog ${catalogs}`;
      await index.sync(name, snapshot.tools);
      await server.query('ANALYZE');
      return createPostgresSearcher(index, name);
    },
    async stop() {
      await store.close();
      await server.stop();
    },
  };
}
