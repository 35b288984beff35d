import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests read the sources (the `@quartermaster/source` condition), so that no build stands between an edit and its test. */
export default defineConfig({
  resolve: {
    conditions: ['@quartermaster/source'],
    // Property tests with a fixed seed. Generated conversations for the wires' tests: no part of what is published.
    alias: {
      'fast-check': fileURLToPath(new URL('test/fast-check.fixture.ts', import.meta.url)),
      '@quartermaster/core/fixtures': fileURLToPath(new URL('packages/core/src/testing.fixture.ts', import.meta.url)),
    },
  },
  ssr: { resolve: { conditions: ['@quartermaster/source'] } },
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default leaves one core idle, which is half of a small machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: {
          // Nothing here changes what another file sees, so that all files of a worker share one copy of the modules.
          name: 'units',
          include: ['packages/{core,semantic,wires}/src/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['packages/{core,semantic,wires}/**', 'node_modules/**'],
        },
      },
    ],
  },
});
