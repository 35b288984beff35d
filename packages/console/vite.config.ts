import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** `npm run dev -w @quartermaster/console` serves the page with reloading, in front of a gateway on its usual port. */
export default defineConfig({
  plugins: [react()],
  // The client's sources, so that the page can be built before the packages are.
  resolve: { conditions: ['@quartermaster/source', ...defaultClientConditions] },
  define: { SAMPLE_QUERIES: JSON.stringify(sampleQueries()) },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/v1': 'http://127.0.0.1:8787' } },
});

/** One of the two sets: as many as a gateway evaluates within seconds. */
function sampleQueries(): string {
  return readFileSync(new URL('../../examples/catalog/queries-a.jsonl', import.meta.url), 'utf8');
}
