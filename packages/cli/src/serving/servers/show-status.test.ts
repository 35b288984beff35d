import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Hub, HubEvent } from '@quartermaster/mcp';
import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../terminal/index.ts';
import { manyToolsServer } from '../many-tools-server.fixture.ts';
import { runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';
import { readRunning, recordStatus } from './running-status.ts';
import { renderStatus } from './show-status.ts';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const PATIENCE = { timeout: 30_000 };

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('quartermaster mcp status', () => {
  it('says how to name servers when there are none', async () => {
    const { code, out, err } = await runCommand(['mcp', 'status'], { XDG_DATA_HOME: temporaryFolder() });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('quartermaster mcp status --mcp-config .mcp.json');
  });

  it('stops the servers that it has started when it is interrupted', async () => {
    const folder = temporaryFolder();
    const [file, pidFile] = [join(folder, '.mcp.json'), join(folder, 'pid')];
    const program = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => 0, 1e6)`;
    writeFileSync(
      file,
      JSON.stringify({ mcpServers: { hangs: { command: process.execPath, args: ['-e', program] } } }),
    );
    const status = startCommand(['mcp', 'status', '-m', file], { cwd: folder });
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8'), PATIENCE).toMatch(/\d/);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    status.child.kill('SIGINT');
    expect(await status.ended).toEqual({ code: 130, signal: null });
    await expect.poll(() => isRunning(pid), PATIENCE).toBe(false);
  });

  it('names every server with its state, tools and tokens, and why one is down', async () => {
    const folder = temporaryFolder();
    const mcpServers = {
      files: { command: process.execPath, args: [FILESYSTEM, folder], autoApprove: ['read_file'] },
      reports: manyToolsServer(60),
      gone: { command: 'no-such-program-anywhere' },
      unset: { command: 'run', args: [`\${NOT_SET}`] },
    };
    const file = join(folder, '.mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const env = { XDG_DATA_HOME: join(folder, 'data'), PATH: process.env.PATH ?? '' };
    const { code, out } = await runCommand(['mcp', 'status', '-m', file], env);
    expect(code).toBe(1);
    const text = out.replace(/\s+/g, ' ');
    expect(text).toMatch(
      /^4 servers with \d+ tools take about [\d,]+ tokens of every request, [\d.]+% of a context window of/,
    );
    expect(text).toMatch(
      /With --form bridge it sees three tools instead: [\d,]+ tokens; [\d,]+ stay out of the window\./,
    );
    const narrow = await runCommand(['mcp', 'status', '-m', file, '--context', '8192'], env);
    expect(narrow.out.replace(/\s+/g, ' ')).toMatch(
      /Behind Quartermaster: [\d,]+ tokens; [\d,]+ stay out of the window\./,
    );
    expect(out).toMatch(/^reports +ready +60 +[1-9][\d,]+$/m);
    expect(out).toMatch(/^gone +down +0 +0$/m);
    expect(out).toMatch(/unset: .*NOT_SET/);
    expect(out).toMatch(/files: autoApprove is not carried over/);
    const { out: json } = await runCommand(['mcp', 'status', '--json', '-m', file], env);
    const { costs } = JSON.parse(json) as { costs: { servers: { name: string; state: string }[] } };
    expect(costs.servers.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'files ready',
      'reports ready',
      'gone down',
      'unset down',
    ]);
  });
});

describe('a status with definitions to review', () => {
  it('names the tool, the kind of finding and its location', () => {
    const server = { name: 'one', state: 'ready' as const, tools: 1, tokens: 10, held: 0 };
    const findings = ['one/add: instruction in description (Ignore all previous instructions)'];
    const costs = {
      ...{ contextTokens: 1_000, tools: 1, tokens: 10, deferredTokens: 5, isDeferred: false },
      servers: [{ ...server, findings }],
    };
    const terminal = createTerminal({ stdout: Object.assign(new PassThrough(), { columns: 120 }), env: {} });
    expect(renderStatus({ costs, notes: [], running: [] }, terminal)).toContain(
      `Definitions to review\n  ${findings[0]}`,
    );
  });
});

it('a status without any tool does not say what deferring would save', () => {
  const servers = [{ name: 'one', state: 'down' as const, tools: 0, tokens: 0, held: 0, reason: 'it ended' }];
  const costs = { contextTokens: 1_000, tools: 0, tokens: 0, deferredTokens: 0, isDeferred: false, servers };
  const terminal = createTerminal({ stdout: Object.assign(new PassThrough(), { columns: 120 }), env: {} });
  const text = renderStatus({ costs, notes: [], running: [] }, terminal);
  expect(text).toMatch(/^This server lists no tools\./);
  expect(text).not.toContain('sent in full');
});

describe('the status of a running proxy', () => {
  it('contains the last errors of its servers, and is deleted on exit', () => {
    const env = { XDG_DATA_HOME: temporaryFolder() };
    let tell: (event: HubEvent) => void = () => {};
    const server = { name: 'files', state: 'ready', tools: 3, stderr: '' };
    let status: object[] = [server];
    const hub = {
      status: () => status,
      subscribe(listener: typeof tell) {
        tell = listener;
        return () => {};
      },
    } as unknown as Hub;
    const now = () => new Date('2026-11-16T12:00:00Z');
    const forget = recordStatus({ hub, env, files: () => ['/a.json'], pid: 41, now });
    status = [{ ...server, state: 'down', reason: 'it ended', stderr: 'boom\n' }];
    tell({ kind: 'server-change', server: 'files' });
    tell({ kind: 'server-change', server: 'files' });
    const at = '2026-11-16T12:00:00.000Z';
    expect(readRunning(env, (pid) => pid === 41)).toEqual([
      {
        ...{ pid: 41, startedAt: at, files: ['/a.json'], servers: [{ name: 'files', state: 'down', tools: 3 }] },
        errors: [{ at, server: 'files', reason: 'it ended (it wrote: boom)' }],
      },
    ]);
    forget();
    expect(readRunning(env, () => true)).toEqual([]);
  });

  it('is deleted when its process is gone', () => {
    const env = { XDG_DATA_HOME: temporaryFolder() };
    const hub = { status: () => [], subscribe: () => () => {} } as unknown as Hub;
    recordStatus({ hub, env, files: () => [], pid: 41 });
    const folder = join(env.XDG_DATA_HOME, 'quartermaster', 'running');
    expect(existsSync(join(folder, '41.json'))).toBe(true);
    expect(readRunning(env, () => false)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
