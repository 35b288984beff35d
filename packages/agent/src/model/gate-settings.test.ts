import { DEFAULT_SEARCH_LIMITS } from '@quartermaster/core/gate';
import { describe, expect, it } from 'vitest';
import { type GateSources, readGateSettings } from './gate-settings.ts';

const NOTHING: GateSources = { processEnv: {}, config: { rule: undefined, search: DEFAULT_SEARCH_LIMITS, pins: [] } };
const ON = { ENABLE_TOOL_SEARCH: 'true' };
const AUTO = { ENABLE_TOOL_SEARCH: 'auto:7' };
const OFF = { ...NOTHING.config, rule: { kind: 'off' } } as const;

describe('when tools are deferred', () => {
  it.each<[string, Partial<GateSources>, object, string]>([
    ['always, where nobody says anything', {}, { kind: 'on' }, 'default'],
    ['as the configuration says', { config: OFF }, { kind: 'off' }, 'config'],
    [
      'as the process’s variable says, over that',
      { config: OFF, processEnv: AUTO },
      { kind: 'share', percent: 7 },
      'ENABLE_TOOL_SEARCH',
    ],
    [
      'as an empty variable does not',
      { config: OFF, processEnv: { ENABLE_TOOL_SEARCH: ' ' } },
      { kind: 'off' },
      'config',
    ],
    [
      'as capabilities say, over that',
      { config: OFF, processEnv: AUTO, capabilities: ['tool_search'] },
      { kind: 'count', tools: 15 },
      'capabilities',
    ],
    [
      'from a number of tools of one’s own on',
      { capabilities: ['tool_search'], toolSearchThreshold: 0 },
      { kind: 'count', tools: 0 },
      'capabilities',
    ],
    ['never without the capability', { processEnv: ON, capabilities: ['other'] }, { kind: 'off' }, 'capabilities'],
    [
      'as the query’s own variable says, over all',
      { config: OFF, processEnv: AUTO, capabilities: [], toolSearchThreshold: 3, env: ON },
      { kind: 'on' },
      'ENABLE_TOOL_SEARCH',
    ],
  ])('%s', (_what, sources, rule, source) => {
    const read = readGateSettings({ ...NOTHING, ...sources });
    expect(read.settings.rule).toMatchObject(rule);
    expect(read.source).toBe(source);
  });

  it('takes limits from the configuration, and pins unless the query has its own', () => {
    const config = { rule: undefined, search: { defaultLimit: 2, maxLimit: 9 }, pins: ['a'] };
    expect(readGateSettings({ ...NOTHING, config, env: ON }).settings).toEqual({
      rule: { kind: 'on' },
      search: { defaultLimit: 2, maxLimit: 9 },
      pins: ['a'],
    });
    expect(readGateSettings({ ...NOTHING, config, pins: ['b'] }).settings.pins).toEqual(['b']);
    expect(readGateSettings({ ...NOTHING, config, pins: [] }).settings.pins).toEqual([]);
  });
});
