import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ScriptedCall, scripted } from '@quartermaster/host/upstream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfinement } from './built-in/confinement.ts';
import { createFileCheckpoints } from './built-in/file-checkpoints.ts';
import { type Query, query, type SDKMessage } from './index.ts';

let folder = '';

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'checkpoints-')));
  await writeFile(join(folder, 'old.txt'), 'one');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const writing = (file: string, content: string): ScriptedCall => ({
  name: 'Write',
  input: { file_path: file, content },
});

/** A query in which the model makes these calls, one after the other. */
async function edited(calls: readonly ScriptedCall[]): Promise<{ running: Query; ids: readonly string[] }> {
  const upstream = scripted({
    dialect: 'anthropic',
    turns: [...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }],
  });
  async function* prompts() {
    yield { type: 'user' as const, uuid: 'prompt', message: { role: 'user' as const, content: 'Edit' } } as never;
  }
  const running = query({
    prompt: prompts(),
    options: {
      upstream,
      cwd: folder,
      tools: ['Write', 'Edit'],
      permissionMode: 'acceptEdits',
      persistSession: false,
      enableFileCheckpointing: true,
    },
  });
  const messages: SDKMessage[] = [];
  for await (const message of running) messages.push(message);
  const ids = messages.flatMap(({ type, uuid }) => (type === 'user' || type === 'system' ? [uuid ?? ''] : []));
  return { running, ids };
}

const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');

describe('rewindFiles', () => {
  it('puts files back to what they held at a message, and removes those that were not there', async () => {
    const { running, ids } = await edited([
      writing('old.txt', 'two'),
      writing('new.txt', 'x'),
      writing('old.txt', 'three'),
    ]);
    const [init = '', afterFirst = ''] = ids;
    expect(await running.rewindFiles('prompt', { dryRun: true })).toEqual({
      canRewind: true,
      filesChanged: ['old.txt', 'new.txt'],
    });
    expect(await read('old.txt')).toBe('three');
    expect(await running.rewindFiles(afterFirst)).toEqual({ canRewind: true, filesChanged: ['new.txt', 'old.txt'] });
    expect(await read('old.txt')).toBe('two');
    await expect(read('new.txt')).rejects.toThrow('ENOENT');
    expect(await running.rewindFiles(init)).toMatchObject({ canRewind: true });
    expect(await read('old.txt')).toBe('one');
  });

  it('says so for a message that the query does not have', async () => {
    const { running } = await edited([]);
    expect(await running.rewindFiles('other')).toEqual({
      canRewind: false,
      error: 'No message of this query has the id other',
    });
  });

  it('writes through no link that was put in the place of a file', async () => {
    const { running } = await edited([writing('old.txt', 'two')]);
    const target = join(folder, 'target.txt');
    await writeFile(target, 'kept');
    await rm(join(folder, 'old.txt'));
    await symlink(target, join(folder, 'old.txt'));
    expect(await running.rewindFiles('prompt')).toEqual({
      canRewind: false,
      error: expect.stringContaining('old.txt: ELOOP'),
      filesChanged: [],
    });
    expect(await read('target.txt')).toBe('kept');
  });

  it('goes forward again to a later message', async () => {
    const { running, ids } = await edited([writing('old.txt', 'two'), writing('new.txt', 'x')]);
    const [, afterFirst = '', afterSecond = ''] = ids;
    await running.rewindFiles('prompt');
    expect(await read('old.txt')).toBe('one');
    expect(await running.rewindFiles(afterFirst)).toMatchObject({ canRewind: true });
    expect(await read('old.txt')).toBe('two');
    await expect(read('new.txt')).rejects.toThrow('ENOENT');
    expect(await running.rewindFiles(afterSecond)).toMatchObject({ canRewind: true });
    expect(await read('new.txt')).toBe('x');
  });

  it('puts back what it can, and names the files that it could not', async () => {
    const { running } = await edited([writing('gone/a.txt', 'a'), writing('old.txt', 'two'), writing('b.txt', 'b')]);
    await rm(join(folder, 'gone'), { recursive: true });
    await symlink(folder, join(folder, 'gone'));
    expect(await running.rewindFiles('prompt')).toEqual({
      canRewind: false,
      error: expect.stringContaining('gone/a.txt: it is behind a link now'),
      filesChanged: ['old.txt', 'b.txt'],
    });
    expect(await read('old.txt')).toBe('one');
    await expect(read('b.txt')).rejects.toThrow('ENOENT');
  });

  it('needs the option', async () => {
    await expect(query({ prompt: 'x' }).rewindFiles('x')).rejects.toThrow(
      'rewindFiles() needs options.enableFileCheckpointing',
    );
  });
});

describe('createFileCheckpoints', () => {
  it('frees what it kept before a file that is too large to keep', async () => {
    const checkpoints = createFileCheckpoints(createConfinement(folder), 10);
    const [small, large] = [join(folder, 'small.txt'), join(folder, 'large.txt')];
    await writeFile(small, '6 byte');
    await writeFile(large, 'eleven byte');
    checkpoints.mark('before');
    await checkpoints.keep(small);
    await checkpoints.keep(large);
    checkpoints.mark('after');
    await checkpoints.keep(small);
    expect(await checkpoints.rewind('before')).toMatchObject({ canRewind: false });
    expect(await checkpoints.rewind('after')).toEqual({ canRewind: true, filesChanged: ['small.txt'] });
  });

  it('reads nothing but files, since a device may have no end', async () => {
    const checkpoints = createFileCheckpoints(createConfinement('/'));
    await expect(checkpoints.keep('/dev/null')).rejects.toThrow('/dev/null is not a file');
    await mkdir(join(folder, 'inner'));
    await expect(checkpoints.keep(join(folder, 'inner'))).rejects.toThrow('is not a file');
  });
});
