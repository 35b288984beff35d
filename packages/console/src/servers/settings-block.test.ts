import { describe, expect, it } from 'vitest';
import { settingsBlock } from './settings-block.ts';

describe('settingsBlock', () => {
  it('has one line for each server, with names that YAML reads as text', () => {
    const servers = [
      { name: 'files', entry: { command: 'npx', args: ['-y', 'a: b'] } },
      { name: '7 # x', entry: { url: 'https://x.example/mcp' } },
    ];
    expect(settingsBlock(servers)).toBe(
      'mcpServers:\n  files: {"command":"npx","args":["-y","a: b"]}\n  "7 # x": {"url":"https://x.example/mcp"}',
    );
  });
});
