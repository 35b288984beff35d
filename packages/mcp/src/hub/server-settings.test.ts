import { describe, expect, it } from 'vitest';
import { type ServerSettings, settingsKey } from './server-settings.ts';

const stdio = { command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'one' } };
const remote = { type: 'http' as const, url: 'https://example.com/mcp', headers: { authorization: 'one' } };

describe('settingsKey', () => {
  it.each<[string, ServerSettings, ServerSettings]>([
    ['the value of a variable', stdio, { ...stdio, env: { TOKEN: 'two' } }],
    ['the value of a header', remote, { ...remote, headers: { authorization: 'two' } }],
    ['a timeout', stdio, { ...stdio, callTimeoutMs: 1 }],
  ])('stays the same when %s changes', (_, before, after) => {
    expect(settingsKey('a', after)).toBe(settingsKey('a', before));
  });

  it.each<[string, ServerSettings, ServerSettings]>([
    ['the command', stdio, { ...stdio, command: 'uvx' }],
    ['an argument', stdio, { ...stdio, args: ['-y', 'other'] }],
    ['the folder', stdio, { ...stdio, cwd: '/elsewhere' }],
    ['the address', remote, { ...remote, url: 'https://example.org/mcp' }],
  ])('changes when %s changes', (_, before, after) => {
    expect(settingsKey('a', after)).not.toBe(settingsKey('a', before));
  });

  it('distinguishes servers with the same settings', () => {
    expect(settingsKey('a', stdio)).not.toBe(settingsKey('b', stdio));
  });
});
