import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, makeFolder, problemsOf } from './config-folder.fixture.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';

describe('environment and flags', () => {
  const yaml = 'listen: { host: file, port: 1 }\nstore: { url: "postgres://file/db" }\nsearch: { engine: hybrid }';

  it('flags beat the environment, which beats the file', () => {
    const env = { QUARTERMASTER_HOST: 'env', QUARTERMASTER_PORT: '2', QUARTERMASTER_DEFERRAL: 'auto' };
    expect(load(yaml, { env }).listen).toEqual({ host: 'env', port: 2 });
    const both = load(yaml, { env, flags: { port: '3', searchEngine: 'bm25' } });
    expect(both).toMatchObject({ listen: { host: 'env', port: 3 }, deferral: 'auto', search: { engine: 'bm25' } });
    expect(load(undefined, { flags: { port: 4, host: '::1' } }).listen).toEqual({ host: '::1', port: 4 });
    expect(load(yaml, { env: { QUARTERMASTER_PORT: '' } }).listen.port).toBe(1);
    const reranking = load(yaml, { env: { QUARTERMASTER_SEARCH_ENGINE: 'hybrid+reranker' } });
    expect(reranking.search.engine).toBe('hybrid+reranker');
  });

  it.each<[string, Partial<LoadConfigOptions>, object]>([
    ['the file', {}, { url: 'postgres://file/db' }],
    ['DATABASE_URL', { env: { DATABASE_URL: 'postgres://env/db' } }, { url: 'postgres://env/db' }],
    ['a path in the environment', { env: { QUARTERMASTER_STORE: '/env.db' } }, { path: '/env.db' }],
    [
      'a path by flag',
      { env: { DATABASE_URL: 'postgres://env/db' }, flags: { store: '/flag.db' } },
      { path: '/flag.db' },
    ],
    ['memory by flag', { flags: { store: ':memory:' } }, { path: ':memory:' }],
    [
      'an address by flag',
      { flags: { store: '/flag.db', databaseUrl: 'postgres://flag/db' } },
      { url: 'postgres://flag/db' },
    ],
  ])('the store is where %s says, the strongest setting', (_, options, location) => {
    expect(load(yaml, options).store.location).toEqual(location);
  });

  it('a path in the file is relative to the file, one on the command line to the current folder', () => {
    const folder = makeFolder({ 'etc/qm.yaml': 'store: { path: a.db }' });
    const at = (options: Partial<LoadConfigOptions>) =>
      loadConfig({ folder, env: {}, path: 'etc/qm.yaml', ...options }).store.location;
    expect(at({})).toEqual({ path: join(folder, 'etc/a.db') });
    expect(at({ flags: { store: 'b.db' } })).toEqual({ path: join(folder, 'b.db') });
    expect(loadConfig({ folder, env: { QUARTERMASTER_CONFIG: 'etc/qm.yaml' } }).files).toEqual([
      join(folder, 'etc/qm.yaml'),
    ]);
  });

  it('problems name the variable or the flag', () => {
    const env = { QUARTERMASTER_PORT: 'eighty', ENABLE_TOOL_SEARCH: 'yes', DATABASE_URL: 'mysql://ann:hunter2@db/x' };
    expect(problemsOf(() => load(yaml, { env, flags: { deferral: 'atuo' } }))).toEqual([
      'QUARTERMASTER_PORT: listen.port is "eighty"; allowed: a whole number from 0 to 65535',
      'DATABASE_URL: store.url is not usable (it is not shown, because it may be a secret); allowed: an address that begins with postgres://',
      '--deferral: deferral is "atuo"; allowed: as-requested, auto, adaptive. Did you mean auto?',
      'ENABLE_TOOL_SEARCH: ENABLE_TOOL_SEARCH is "yes"; allowed are true, false, auto, and auto:N with N from 0 to 100',
    ]);
  });
});
