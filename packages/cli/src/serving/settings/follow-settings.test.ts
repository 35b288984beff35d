import { type Config, ConfigError } from '@quartermaster/host/config';
import type { HubServers } from '@quartermaster/mcp';
import { describe, expect, it } from 'vitest';
import { type FollowOptions, followSettings } from './follow-settings.ts';

/** Settings that name these servers in these files. */
function config(names: readonly string[], files: readonly string[] = ['/a.json']): Config {
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command: name }]));
  return { mcpServers, files } as unknown as Config;
}

function follow(first: Config) {
  const state = { next: first as Config | ConfigError };
  const watched = new Map<string, () => void>();
  const given: HubServers[] = [];
  const lines: string[] = [];
  const options: FollowOptions = {
    config: first,
    hub: { reconfigure: async (servers) => void given.push(servers) },
    async load() {
      if (state.next instanceof Error) throw state.next;
      return state.next;
    },
    serversOf: ({ mcpServers }) => ({ servers: mcpServers }),
    print: (line) => lines.push(line),
    watch(file, onChange) {
      watched.set(file, onChange);
      return () => watched.delete(file);
    },
  };
  return { ...followSettings(options), state, watched, given, lines };
}

describe('followSettings', () => {
  it('updates the hub when one of the files changes', async () => {
    const { watched, state, given, lines, reload } = follow(config(['kept', 'gone']));
    state.next = config(['kept', 'new']);
    watched.get('/a.json')?.();
    await reload();
    expect(given[0]).toEqual({ servers: { kept: { command: 'kept' }, new: { command: 'new' } } });
    expect(lines[0]).toBe('settings reloaded: added new; removed gone');
    expect(lines[1]).toBe('settings reloaded: 2 servers, as before');
  });

  it('keeps the servers while the file is invalid', async () => {
    const { state, given, lines, reload } = follow(config(['kept']));
    state.next = new ConfigError([{ source: '/a.json', path: '', message: 'The document is not valid JSON' }]);
    await reload();
    expect(given).toEqual([]);
    expect(lines).toEqual([expect.stringContaining('the servers are unchanged: /a.json: The document is not valid')]);
  });

  it('survives anything else that goes wrong while it reads', async () => {
    const { state, given, lines, reload } = follow(config(['kept']));
    state.next = new Error('disk full') as ConfigError;
    await reload();
    state.next = config(['new']);
    await reload();
    expect(lines[0]).toContain('disk full');
    expect(given).toHaveLength(1);
  });

  it('watches the files that the settings name, until it is closed', async () => {
    const { state, watched, reload, close, given } = follow(config([], ['/a.yaml']));
    state.next = config([], ['/a.yaml', '/b.json']);
    await reload();
    expect([...watched.keys()]).toEqual(['/a.yaml', '/b.json']);
    close();
    expect([...watched.keys()]).toEqual([]);
    await reload();
    expect(given).toHaveLength(1);
  });
});
