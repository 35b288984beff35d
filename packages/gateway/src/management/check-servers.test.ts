import { describe, expect, it } from 'vitest';
import { checkServers } from './check-servers.ts';

const NONE: ReadonlySet<string> = new Set();
const ENTRY = { command: 'npx', args: ['-y', 'server-files', '/data'] };
const JSON_ENTRY = JSON.stringify(ENTRY);

describe('checkServers', () => {
  it.each([
    ['the block of a client', `{"mcpServers":{"files":${JSON_ENTRY}}}`],
    ['the block of VS Code, with a comment', `{"servers":{ // mine\n "files":${JSON_ENTRY}}}`],
    ['entries without a block', `{"files":${JSON_ENTRY}}`],
    ['an entry out of the middle of a file', `"files": ${JSON_ENTRY},`],
    ['YAML', 'mcpServers:\n  files: { command: npx, args: [-y, server-files, /data] }'],
    ['YAML without a block', 'files:\n  command: npx\n  args: [-y, server-files, /data]'],
    ['the TOML of Codex', '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "server-files", "/data"]'],
  ])('reads %s', (_, text) => {
    expect(checkServers(text, NONE)).toMatchObject({
      data: [{ name: 'files', transport: 'stdio', is_off: false, is_known: false, problems: [], entry: ENTRY }],
    });
  });

  it('knows a server on the network, and one that the gateway has', () => {
    const text = '{"mcpServers":{"tracker":{"url":"https://tracker.example/mcp"}}}';
    expect(checkServers(text, new Set(['tracker'])).data).toMatchObject([{ transport: 'http', is_known: true }]);
  });

  it.each([
    ['{"mcpServers":', /not valid JSON/],
    ['mcpServers: [', /not valid YAML/],
    ['{"name":"x"}', /no block of servers/],
    ['hello', /no block of servers/],
  ])('says what is wrong with %j', (text, problem) => {
    const checked = checkServers(text, NONE);
    expect(checked.data).toEqual([]);
    expect(checked.problem).toMatch(problem);
  });

  it('says which server cannot be started', () => {
    const { data } = checkServers('{"mcpServers":{"a":{"args":[]},"b":{"command":"b"}}}', NONE);
    expect(data.map(({ name, problems }) => [name, problems.length])).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
  });
});
