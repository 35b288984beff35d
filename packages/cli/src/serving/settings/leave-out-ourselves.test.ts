import { describe, expect, it } from 'vitest';
import { leaveOutOurselves } from './leave-out-ourselves.ts';

describe('leaveOutOurselves', () => {
  it.each([
    ['quartermaster', ['mcp']],
    ['qm', ['mcp', '--form', 'load']],
    ['npx', ['-y', 'quartermaster', 'mcp', '--mcp-config', '.mcp.json']],
    ['npx', ['-y', 'quartermaster@0.1.0', 'mcp']],
    ['node', ['/opt/quartermaster/bin/quartermaster.js', 'mcp']],
    ['C:\\npm\\quartermaster.cmd', ['mcp']],
    ['sh', ['-c', 'exec quartermaster mcp --mcp-config .mcp.json']],
  ])('%s %j is this command', (command, args) => {
    expect(leaveOutOurselves({ us: { command, args } })).toEqual({ servers: {}, ourselves: ['us'] });
  });

  it.each([
    ['npx', ['-y', '@modelcontextprotocol/server-filesystem', '/srv/quartermaster']],
    ['node', ['mcp.js', 'quartermaster']],
    ['uvx', ['mcp', 'quartermaster-notes']],
  ])('%s %j is another', (command, args) => {
    expect(leaveOutOurselves({ other: { command, args } }).ourselves).toEqual([]);
  });

  it('leaves servers on the network alone', () => {
    const servers = { web: { url: 'https://quartermaster.example/mcp' } };
    expect(leaveOutOurselves(servers)).toEqual({ servers, ourselves: [] });
  });
});
