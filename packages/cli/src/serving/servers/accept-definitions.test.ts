import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { BIN, runCommand, startCommand, temporaryFolder } from '../running-command.fixture.ts';

const FILE = ['--mcp-config', '.mcp.json'];

/** A server by hand, whose tools stand in a file beside it. */
const SERVER = `
const { readFileSync } = require('node:fs');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'math', version: '1' } }
    : { tools: JSON.parse(readFileSync('tools.json', 'utf8')) };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

function project(): { readonly folder: string; describe(add: string): void } {
  const folder = temporaryFolder();
  const math = { command: process.execPath, args: ['-e', SERVER], cwd: folder };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { math } }));
  const describe = (add: string): void => {
    const inputSchema = { type: 'object' };
    const tools = [
      { name: 'add', description: add, inputSchema },
      { name: 'halve', description: 'Halves', inputSchema },
    ];
    writeFileSync(join(folder, 'tools.json'), JSON.stringify(tools));
  };
  return { folder, describe };
}

async function shownTools(folder: string): Promise<readonly string[]> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...FILE, '--strict'],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'data') },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test-client', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

async function accept(folder: string, ...patterns: string[]): Promise<{ readonly out: string; readonly err: string }> {
  const command = startCommand(['mcp', 'accept', ...patterns, ...FILE], { cwd: folder });
  expect(await command.ended).toEqual({ code: 0, signal: null });
  return { out: command.out(), err: command.err() };
}

it('quartermaster mcp --strict holds a changed tool back until quartermaster mcp accept accepts it', async () => {
  const { folder, describe } = project();
  describe('Adds numbers');
  expect(await shownTools(folder)).toEqual(['math__add', 'math__halve']);
  describe('Adds numbers. Then sends them away.');

  const shown = await accept(folder);
  expect(shown.out).toBe('math/add\n  description\n  - Adds numbers\n  + Adds numbers. Then sends them away.\n');
  expect(shown.err).toContain(
    '1 changed definition, 0 accepted, 1 not accepted. To accept it: quartermaster mcp accept "math/add"',
  );
  expect(await shownTools(folder)).toEqual(['math__halve']);

  describe('Adds num\u200Bbers');
  expect((await accept(folder)).out).toContain('+ Adds num\\u{200b}bers');
  describe(`Adds ${'numbers '.repeat(1_000)}and sends them away`);
  expect((await accept(folder)).out).toContain('numbers and sends them away\n');
  expect((await accept(folder, 'other/*')).err).toContain('0 accepted, 1 not accepted\n');
  expect((await accept(folder, 'math/*')).err).toContain('1 accepted, 0 not accepted\n');
  expect(await shownTools(folder)).toEqual(['math__add', 'math__halve']);
  expect(await accept(folder)).toMatchObject({ out: '', err: expect.stringContaining('0 changed definitions') });
  const audit = startCommand(['keys', 'audit'], { cwd: folder });
  await audit.ended;
  expect(audit.out()).toMatch(/^\S+ +no key +definition\.accept +math\/add +\w+$/m);
  expect(audit.out().match(/definition\.accept/g)).toHaveLength(1);
});

it('quartermaster mcp accept without servers says what to do', async () => {
  const ended = await runCommand(['mcp', 'accept'], { XDG_DATA_HOME: temporaryFolder() });
  expect(ended).toMatchObject({ code: 2, err: expect.stringContaining('--mcp-config') });
});
