import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIndexCache, indexCacheFolder } from './create-index-cache.ts';
import { createDiskIndexCache } from './disk-index-cache.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quartermaster-indexes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const bytesOf = (value: number, length = 100): Uint8Array => new Uint8Array(length).fill(value);

describe('indexes on disk', () => {
  it('are found by their key, also by another process of the same user only', async () => {
    const folder = join(newFolder(), 'a', 'b');
    const cache = createDiskIndexCache({ folder, maxBytes: 1_000 });
    expect(await cache.load('one')).toBeUndefined();
    await cache.save('one', bytesOf(1));
    await cache.save('one', bytesOf(2));
    const other = createDiskIndexCache({ folder, maxBytes: 1_000 });
    expect(await other.load('one')).toEqual(Buffer.from(bytesOf(2)));
    expect(await other.load('two')).toBeUndefined();
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it('stay within the size limit: the least recently used go first, and what is larger than the limit is not kept', async () => {
    const folder = newFolder();
    let time = 1_000_000;
    const cache = createDiskIndexCache({ folder, maxBytes: 250, now: () => time });
    const backdate = (key: number): void => {
      for (const name of readdirSync(folder)) {
        if (readFileSync(join(folder, name))[0] === key) utimesSync(join(folder, name), time / 1000, time / 1000);
      }
    };
    for (const key of [1, 2]) {
      time += 60_000;
      await cache.save(`${key}`, bytesOf(key));
      backdate(key);
    }
    time += 60_000;
    // Reading is a use.
    await cache.load('1');
    await cache.save('3', bytesOf(3));
    expect(await cache.load('2')).toBeUndefined();
    expect(await cache.load('1')).toBeDefined();
    expect(await cache.load('3')).toBeDefined();
    await cache.save('4', bytesOf(4, 300));
    expect(await cache.load('4')).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('are never partial: what a writer left behind is not an index, and is deleted later', async () => {
    const folder = newFolder();
    const cache = createDiskIndexCache({ folder, maxBytes: 1_000 });
    await cache.save('one', bytesOf(1));
    const [file = ''] = readdirSync(folder);
    const draft = join(folder, `${file}.1.draft`);
    writeFileSync(draft, 'half');
    await cache.save('two', bytesOf(2));
    expect(readdirSync(folder)).toContain(`${file}.1.draft`);
    utimesSync(draft, 1, 1);
    await cache.save('three', bytesOf(3));
    expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([]);
    expect(await cache.load('one')).toEqual(Buffer.from(bytesOf(1)));
  });

  it.runIf(process.platform !== 'win32')('are plain files: nothing waits for a pipe or follows a link', async () => {
    const folder = newFolder();
    const cache = createDiskIndexCache({ folder, maxBytes: 1_000 });
    await cache.save('one', bytesOf(1));
    const [file = ''] = readdirSync(folder);
    const path = join(folder, file);
    const elsewhere = join(newFolder(), 'elsewhere');
    writeFileSync(elsewhere, bytesOf(3));
    utimesSync(elsewhere, 1, 1);
    const puts: readonly ((path: string) => void)[] = [
      (at) => execFileSync('mkfifo', [at]),
      (at) => symlinkSync(elsewhere, at),
      (at) => symlinkSync('/dev/zero', at),
    ];
    for (const put of puts) {
      rmSync(path);
      put(path);
      expect(await cache.load('one')).toBeUndefined();
      await cache.save('one', bytesOf(2));
      expect(await cache.load('one')).toEqual(Buffer.from(bytesOf(2)));
    }
    expect([readFileSync(elsewhere)[0], statSync(elsewhere).mtimeMs]).toEqual([3, 1_000]);
    rmSync(path);
    mkdirSync(path);
    expect(await cache.load('one')).toBeUndefined();
    await expect(cache.save('one', bytesOf(2))).rejects.toThrow();
  });

  it('count what is being written, so that writers killed one after the other stay within the size limit', async () => {
    const folder = newFolder();
    const cache = createDiskIndexCache({ folder, maxBytes: 1_000 });
    await cache.save('one', bytesOf(1));
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
    for (const writer of [1, 2, 3]) writeFileSync(join(folder, `x.qmx.${writer}.draft`), bytesOf(0, 300));
    await cache.save('two', bytesOf(2));
    expect(await cache.load('one')).toBeUndefined();
    expect(await cache.load('two')).toBeDefined();
  });

  it('survive writers that are killed midway: each is complete, the old or the new one', async () => {
    const folder = newFolder();
    const cache = createDiskIndexCache({ folder, maxBytes: 50_000_000 });
    const whole = (value: number): Buffer => Buffer.alloc(3_000_000, value);
    await cache.save('index', whole(0));
    const expectWhole = async (): Promise<void> => {
      const found = Buffer.from((await cache.load('index')) ?? []);
      expect(found.equals(whole(found[0] ?? 0))).toBe(true);
    };
    // As it is built, in a process of its own that goes on until it is killed.
    const script = `
      import { createIndexCache } from '@quartermaster/host/search';
      const cache = createIndexCache({ folder: ${JSON.stringify(folder)}, diskBytes: 50_000_000, storeBytes: 0 }, { env: {} });
      for (let value = 1; ; value = value % 200 + 1) {
        await cache.save('index', Buffer.alloc(3_000_000, value));
        process.stdout.write('.');
      }`;
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const writers = [1, 2].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    await Promise.all(writers.map((writer) => new Promise((resolve) => writer.stdout.once('data', resolve))));
    for (let read = 0; read < 20; read += 1) await expectWhole();
    for (const writer of writers) {
      const ended = new Promise((resolve) => writer.once('exit', resolve));
      writer.kill('SIGKILL');
      await ended;
      await expectWhole();
    }
  });

  it('are optional: without a writable folder there are none', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const cache = createDiskIndexCache({ folder: join(file, 'below'), maxBytes: 1_000 });
    expect(await cache.load('one')).toBeUndefined();
    await expect(cache.save('one', bytesOf(1))).rejects.toThrow();
    const layered = createIndexCache({ folder: join(file, 'below'), diskBytes: 1_000, storeBytes: 0 }, { env: {} });
    await layered?.save('one', bytesOf(1));
    expect(await layered?.load('one')).toBeUndefined();
  });
});

describe('the levels of the cache', () => {
  const memory = () => {
    const kept = new Map<string, Uint8Array>();
    let bound = 0;
    return {
      kept,
      bound: () => bound,
      get: async (key: string) => kept.get(key),
      async put(key: string, bytes: Uint8Array, { maxBytes }: { readonly maxBytes: number }) {
        bound = maxBytes;
        kept.set(key, bytes);
      },
    };
  };

  it('are asked in turn, and nearer ones keep what a farther one had', async () => {
    const folder = newFolder();
    const settings = { folder, diskBytes: 1_000, storeBytes: 500 };
    const store = memory();
    const cache = createIndexCache(settings, { env: {}, store });
    await cache?.save('one', bytesOf(1));
    expect([store.kept.size, store.bound(), readdirSync(folder).length]).toEqual([1, 500, 1]);
    rmSync(folder, { recursive: true });
    expect(await cache?.load('one')).toEqual(bytesOf(1));
    await expect.poll(() => createDiskIndexCache({ folder, maxBytes: 1_000 }).load('one')).toBeDefined();
    store.kept.clear();
    expect(await cache?.load('one')).toEqual(Buffer.from(bytesOf(1)));
  });

  it('can each be switched off', () => {
    const env = { HOME: '/home/ada' };
    expect(createIndexCache({ diskBytes: 0, storeBytes: 0 }, { env, store: memory() })).toBeUndefined();
    expect(createIndexCache({ diskBytes: 0, storeBytes: 1 }, { env })).toBeUndefined();
    expect(createIndexCache({ diskBytes: 1, storeBytes: 0 }, { env: {} })).toBeUndefined();
    expect(createIndexCache(undefined, { env })).toBeDefined();
  });

  it.runIf(process.platform === 'linux')('lie in the user’s cache folder, unless the settings name another', () => {
    const on = { diskBytes: 1, storeBytes: 0 };
    expect(indexCacheFolder(on, { XDG_CACHE_HOME: '/c' })).toBe('/c/quartermaster/indexes');
    expect(indexCacheFolder(on, { XDG_CACHE_HOME: 'c', HOME: '/h' })).toBe('/h/.cache/quartermaster/indexes');
    expect(indexCacheFolder({ ...on, folder: '/f' }, { HOME: '/h' })).toBe('/f');
    expect(indexCacheFolder({ ...on, diskBytes: 0 }, { HOME: '/h' })).toBeUndefined();
  });
});
