import { existsSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Confinement, createConfinement } from './built-in/confinement.ts';
import { createEditTool, createReadTool, createWriteTool } from './built-in/file-tools.ts';
import { listFiles } from './built-in/search-tools.ts';
import type { Options } from './index.ts';
import { ask, calling } from './testing/ask.fixture.ts';
import { initOf, resultOf, resultsIn, type ToolResult } from './testing/collect.fixture.ts';

let outside = '';
let folder = '';

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'built-in-'));
  folder = join(outside, 'work');
  await mkdir(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'src/one.ts'), 'const a = 1;\nconst b = 2;\n');
  await writeFile(join(folder, 'notes.md'), 'Nothing here.\n');
  await writeFile(join(outside, 'secret.txt'), 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(outside, { recursive: true, force: true });
});

const ALL = { type: 'preset', preset: 'claude_code' } as const;

async function call(name: string, input: object, options: Options = {}): Promise<ToolResult | undefined> {
  const given = { cwd: folder, tools: ALL, permissionMode: 'bypassPermissions' } as const;
  return resultsIn((await ask(calling(name, input), { ...given, ...options })).messages)[0];
}

/** A confinement whose folder becomes a link to the outside whenever a path in it has been checked. */
function racing(inside: string, swapsBack: boolean) {
  const real = createConfinement(folder);
  const swap = { on: false };
  const isSwapped = () => existsSync(`${inside}-moved`);
  const back = (): void => {
    if (!isSwapped()) return;
    unlinkSync(inside);
    renameSync(`${inside}-moved`, inside);
  };
  const confinement: Confinement = {
    ...real,
    real(path, shownAs) {
      if (swapsBack) back();
      const found = real.real(path, shownAs);
      if (swap.on && !isSwapped()) {
        renameSync(inside, `${inside}-moved`);
        symlinkSync(outside, inside);
      }
      return found;
    },
  };
  return { swap, back, confinement };
}

describe('built-in tools', () => {
  it('are off unless tools or allowedTools name them', async () => {
    const tools = async (options: Options) =>
      initOf((await ask([{ text: 'x' }], { cwd: folder, mcpServers: {}, ...options })).messages).tools;
    expect(await tools({})).toEqual([]);
    expect(await tools({ allowedTools: ['*'] })).toEqual([]);
    expect(await tools({ tools: ['Read'], allowedTools: ['Glob', 'Bash(git status)'] })).toEqual([
      'Read',
      'Glob',
      'Bash',
    ]);
    expect(await tools({ tools: ALL })).toEqual(['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash']);
    await expect(tools({ tools: ['WebSearch'] })).rejects.toThrow(
      'tools names "WebSearch", which is not a built-in tool',
    );
  });

  it('make the SDK’s quick start do something', async () => {
    const turns = [
      { calls: [{ name: 'Glob', input: { pattern: '**/*.ts' } }] },
      { calls: [{ name: 'Edit', input: { file_path: 'src/one.ts', old_string: 'a = 1', new_string: 'a = 3' } }] },
      { text: 'Fixed.' },
    ];
    const options = { cwd: folder, allowedTools: ['Read', 'Edit', 'Glob'], permissionMode: 'acceptEdits' } as const;
    const { messages } = await ask(turns, options);
    expect(resultsIn(messages).map(({ text }) => text)).toEqual(['src/one.ts', 'Replaced 1 in src/one.ts.']);
    expect(await readFile(join(folder, 'src/one.ts'), 'utf8')).toContain('a = 3');
    expect(resultOf(messages).subtype).toBe('success');
  });

  it('are deferred like any tool, and found by search', async () => {
    const search = { calls: [{ name: 'tool_search', input: { query: 'read a text file', limit: 1 } }] };
    const { upstream } = await ask([search, { text: 'x' }], { cwd: folder, tools: ALL, mcpServers: {} });
    expect(upstream.requests[0]?.tools?.map(({ name }) => name)).toEqual(['tool_search']);
    expect(JSON.stringify(upstream.requests[1]?.messages)).toContain('Read');
  });

  it('read, write, edit and find', async () => {
    expect((await call('Read', { file_path: 'src/one.ts', offset: 2, limit: 1 }))?.text).toBe(
      '2\tconst b = 2;\n[Lines 2 to 2 of 3. Read on with offset.]',
    );
    expect(await call('Write', { file_path: 'new/deep.txt', content: 'hello' })).toMatchObject({ isError: false });
    expect(await readFile(join(folder, 'new/deep.txt'), 'utf8')).toBe('hello');
    const edit = { file_path: 'src/one.ts', old_string: 'const', new_string: 'let' };
    expect((await call('Edit', edit))?.text).toContain('2 times in the file');
    expect((await call('Edit', { ...edit, replace_all: true }))?.text).toBe('Replaced 2 in src/one.ts.');
    expect((await call('Edit', { ...edit, old_string: 'nowhere' }))?.text).toContain('not in the file');
    expect((await call('Grep', { pattern: 'b = \\d', output_mode: 'content' }))?.text).toBe('src/one.ts:2: let b = 2;');
    expect((await call('Grep', { pattern: 'here', glob: '*.{md,txt}' }))?.text).toBe('notes.md');
    expect((await call('Glob', { pattern: '*.ts' }))?.text).toBe('No file fits.');
    expect((await call('Grep', { pattern: '(' }))?.isError).toBe(true);
    await writeFile(join(folder, 'binary'), Buffer.from([1, 0, 2]));
    expect((await call('Read', { file_path: 'binary' }))?.text).toContain('is not a text file');
  });

  it('stay in their folder, wherever paths and links lead', async () => {
    await symlink(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    await symlink(outside, join(folder, 'up'));
    await symlink(join(outside, 'missing.txt'), join(folder, 'dangling.txt'));
    for (const path of ['../secret.txt', join(outside, 'secret.txt'), 'link.txt', 'up/secret.txt', '/etc/passwd']) {
      const result = await call('Read', { file_path: path });
      expect(result, path).toMatchObject({ isError: true });
      expect(result?.text, path).not.toContain('secret\n');
    }
    for (const path of ['../new.txt', 'up/new.txt', 'dangling.txt', 'up/a/b.txt', 'link.txt']) {
      expect(await call('Write', { file_path: path, content: 'x' }), path).toMatchObject({ isError: true });
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    await expect(readFile(join(outside, 'missing.txt'))).rejects.toThrow();
    expect((await call('Glob', { pattern: '**/secret.txt' }))?.text).toBe('No file fits.');
    expect(await call('Grep', { pattern: 'secret', path: 'up' })).toMatchObject({ isError: true });
    const wider = { additionalDirectories: [outside] };
    expect((await call('Read', { file_path: '../secret.txt' }, wider))?.text).toBe('1\tsecret');
  });

  it.each([
    ['stays a link', false],
    ['is a folder again before the second check', true],
  ])('follow no link that replaces a folder after the check of the path, where it %s', async (_, swapsBack) => {
    const inside = join(await realpath(folder), 'src');
    await writeFile(join(inside, 'secret.txt'), 'public');
    const signal = new AbortController().signal;
    for (const [make, input] of [
      [createReadTool, {}],
      [createWriteTool, { content: 'overwritten' }],
      [createWriteTool, { content: 'created', file_path: 'src/new.txt' }],
      [createEditTool, { old_string: 'secret', new_string: 'overwritten' }],
    ] as const) {
      const { swap, back, confinement } = racing(inside, swapsBack);
      const tool = make(confinement);
      swap.on = true;
      await expect(
        tool.run({ file_path: 'src/secret.txt', ...input }, signal),
        JSON.stringify(input),
      ).rejects.toThrow();
      swap.on = false;
      back();
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('run commands without the secrets of the process, for a time', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-secret');
    expect((await call('Bash', { command: 'pwd; echo "[$ANTHROPIC_API_KEY]"' }))?.text).toMatch(/work\n\[\]\n$/);
    expect(await call('Bash', { command: 'echo oops >&2; exit 3' })).toEqual({
      text: expect.stringContaining('ended with 3\noops'),
      isError: true,
    });
    expect((await call('Bash', { command: 'sleep 60 & sleep 60', timeout: 50 }))?.text).toContain('longer than 50 ms');
    expect((await call('Bash', { command: 'yes | head -c 100000' }))?.text).toContain('[Cut after 30000 characters.]');
  });

  it('wait for nothing that a command leaves behind, in its process group or out of it', async () => {
    // Would hold the pipe open for longer than the test may take.
    expect((await call('Bash', { command: 'sleep 120 & echo begun' }))?.text).toBe('begun\n');
    // Out of the group, it holds the pipe until the folder is removed after the test.
    const held = `setInterval(() => require('fs').existsSync(${JSON.stringify(folder)}) || process.exit(), 50);
      setTimeout(process.exit, 40_000);`;
    const leave = `const stdio = ['ignore', 'inherit', 'inherit'];
      require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(held)}], { detached: true, stdio }).unref();
      console.log('left');`;
    await writeFile(join(folder, 'leave.cjs'), leave);
    const away = await call('Bash', { command: `"${process.execPath}" leave.cjs`, timeout: 30_000 });
    expect(away).toEqual({ text: 'left\n', isError: false });
  });

  it('keep characters whole that arrive in two parts', async () => {
    const halves = String.raw`printf '\303'; sleep 0.05; printf '\251'`;
    expect((await call('Bash', { command: halves }))?.text).toBe('é');
  });

  it('say what they leave out of lines and files', async () => {
    await writeFile(join(folder, 'long.txt'), `${'x'.repeat(5_000)}\n`);
    await writeFile(join(folder, 'binary'), Buffer.from([1, 0, 2]));
    expect((await call('Read', { file_path: 'long.txt' }))?.text).toContain('[cut: the line has 5000 characters]');
    const grep = await call('Grep', { pattern: 'x', output_mode: 'content' });
    expect(grep?.text).toContain('[cut: the line has 5000 characters]');
    expect(grep?.text).toContain('[Files that were not searched, because they are not text or too large: 1]');
  });

  it('answer with the first lines where a file has very many', async () => {
    await writeFile(join(folder, 'many.txt'), 'x\n'.repeat(300_000));
    const found = (await call('Grep', { pattern: 'x', path: 'many.txt', output_mode: 'content' }))?.text ?? '';
    expect(found.split('\n')).toHaveLength(501);
    expect(found).toContain('[The first 500 of them. Look for less.]');
  });

  it('count the folders they enter, and say after how much they stopped', async () => {
    await mkdir(join(folder, 'empty/inner'), { recursive: true });
    const { signal } = new AbortController();
    const all = ['notes.md', 'src/one.ts'].map((file) => join(folder, file));
    expect(await listFiles(folder, signal, 5)).toEqual({ files: all, cut: undefined });
    expect(await listFiles(folder, signal, 4)).toEqual({
      files: all.slice(0, 1),
      cut: '[Stopped after 4 files and folders. Look in a folder.]',
    });
  });

  it('make no text that could not be written', async () => {
    await writeFile(join(folder, 'many.txt'), 'x'.repeat(100_000));
    const edit = { file_path: 'many.txt', old_string: 'x', new_string: 'y'.repeat(10_000), replace_all: true };
    expect((await call('Edit', edit))?.text).toContain('At most 10485760 bytes are written, not 1000000000');
  });

  it('can be given the whole file system', async () => {
    expect((await call('Read', { file_path: join(folder, 'notes.md') }, { cwd: '/' }))?.text).toContain(
      'Nothing here.',
    );
  });

  it.each([
    ['git status', ['Bash(git status)'], true],
    ['git status -s', ['Bash(git status)'], false],
    ['git diff HEAD', ['Bash(git diff:*)'], true],
    ['git difftool', ['Bash(git diff:*)'], false],
    ['git diff; rm x', ['Bash(git diff:*)'], false],
    ['git diff $(rm x)', ['Bash(git diff:*)'], false],
    ['git diff > x', ['Bash(git diff:*)'], false],
    ['echo hi', ['Bash'], true],
  ])('are called by rule: %s with %j', async (command, allowedTools, isAllowed) => {
    const { messages } = await ask(calling('Bash', { command }), {
      cwd: folder,
      allowedTools,
      permissionMode: 'default',
    });
    expect(resultOf(messages).permission_denials).toHaveLength(isAllowed ? 0 : 1);
  });

  it('are forbidden by rule, in any part of a command and by the real path', async () => {
    await symlink(join(folder, 'src'), join(folder, 'alias'));
    const denied = async (name: string, input: object, rule: string) => {
      const options = {
        cwd: folder,
        tools: ALL,
        disallowedTools: [rule],
        permissionMode: 'bypassPermissions',
      } as const;
      return resultOf((await ask(calling(name, input), options)).messages).permission_denials.length === 1;
    };
    expect(await denied('Bash', { command: 'true && rm -f x' }, 'Bash(rm:*)')).toBe(true);
    expect(await denied('Bash', { command: 'true' }, 'Bash(rm:*)')).toBe(false);
    for (const command of [
      '(rm x)',
      'echo $(rm x)',
      'echo `rm x`',
      'rm\tx',
      '/bin/rm x',
      'A=1 rm x',
      '"rm" x',
      'r\\m x',
    ]) {
      expect(await denied('Bash', { command }, 'Bash(rm:*)'), command).toBe(true);
    }
    expect(await denied('Read', { file_path: 'alias/one.ts' }, 'Read(src/*)')).toBe(true);
    expect(await denied('Read', { file_path: 'notes.md' }, 'Read(src/*)')).toBe(false);
  });
});
