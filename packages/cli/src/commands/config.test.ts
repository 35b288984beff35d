import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../serving/running-command.fixture.ts';

function check(name: string, text: string, ...args: string[]) {
  const folder = temporaryFolder();
  const file = join(folder, name);
  writeFileSync(file, text);
  return runCommand(['config', 'check', ...args, file], { HOME: folder, XDG_DATA_HOME: folder });
}

describe('quartermaster config check', () => {
  it('lists the files and servers of valid settings', async () => {
    const servers = JSON.stringify({ mcpServers: { a: { command: 'a' }, b: { url: 'http://localhost:1/mcp' } } });
    const { code, out } = await check('.mcp.json', servers, '--mcp-config');
    expect(out).toMatch(/^The settings are valid\.\n· files:[\s\S]+\n· MCP servers: a, b\n$/);
    expect(code).toBe(0);
  });

  it('knows the stored answers to inputs', async () => {
    const folder = temporaryFolder();
    const [file, env] = [join(folder, '.mcp.json'), { HOME: folder, XDG_DATA_HOME: folder }];
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: 'a', env: { TOKEN: `\${input:token}` } } } }));
    const inspect = () => runCommand(['config', 'check', '-m', file], env);
    expect((await inspect()).code).toBe(1);
    expect((await runCommand(['mcp', 'input', '-m', file], env, 'secret\n')).code).toBe(0);
    expect((await inspect()).code).toBe(0);
  });

  it('reports an unusable server, and rejects unreadable settings', async () => {
    const unset = JSON.stringify({ mcpServers: { a: { command: 'a', args: [`\${NOT_SET}`] } } });
    const { code, out } = await check('.mcp.json', unset, '--mcp-config');
    expect([code, out]).toEqual([1, expect.stringMatching(/^1 problem found\.\n✗ a \([\s\S]*NOT_SET/)]);
    expect((await check('quartermaster.yaml', 'listen: [', '--config')).code).toBe(2);
  });
});
