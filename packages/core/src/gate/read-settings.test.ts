import { describe, expect, it } from 'vitest';
import { SettingError } from '../errors.ts';
import { type GateRule, readCapabilities, readEnableToolSearch, readHermesToolSearch } from './gate-settings.ts';

const share = (percent: number, comparison: 'exceeds' | 'at-least'): GateRule => ({
  kind: 'share',
  percent,
  comparison,
});

describe('readEnableToolSearch', () => {
  it.each<[string | undefined, GateRule]>([
    [undefined, { kind: 'on' }],
    ['', { kind: 'on' }],
    ['true', { kind: 'on' }],
    ['TRUE', { kind: 'on' }],
    ['false', { kind: 'off' }],
    ['auto', share(10, 'exceeds')],
    ['auto:0', share(0, 'exceeds')],
    ['auto:5', share(5, 'exceeds')],
    ['auto:2.5', share(2.5, 'exceeds')],
    ['auto:100', share(100, 'exceeds')],
  ])('reads %j', (value, rule) => {
    expect(readEnableToolSearch(value).rule).toEqual(rule);
  });

  it.each(['auto:101', 'auto:x', 'auto:', 'auto:-1', 'yes', '1', 'auto:1e2', 'auto: 5'])(
    'refuses %j by name',
    (value) => {
      expect(() => readEnableToolSearch(value)).toThrow(SettingError);
      expect(() => readEnableToolSearch(value)).toThrow(
        `ENABLE_TOOL_SEARCH is ${JSON.stringify(value)}; allowed are true, false, auto, and auto:N with N from 0 to 100`,
      );
    },
  );
});

describe('readHermesToolSearch', () => {
  it.each<[unknown, GateRule]>([
    [undefined, share(10, 'at-least')],
    [true, share(10, 'at-least')],
    [false, { kind: 'off' }],
    [{}, share(10, 'at-least')],
    [{ enabled: 'auto', threshold_pct: 0 }, share(0, 'at-least')],
    [{ enabled: 'on' }, { kind: 'on' }],
    [{ enabled: true }, { kind: 'on' }],
    [{ enabled: 'off' }, { kind: 'off' }],
  ])('reads %j', (block, rule) => {
    expect(readHermesToolSearch(block).rule).toEqual(rule);
  });

  it('reads the limits, and lowers the default with the maximum', () => {
    expect(readHermesToolSearch({}).search).toEqual({ defaultLimit: 5, maxLimit: 20 });
    expect(readHermesToolSearch({ max_search_limit: 3 }).search).toEqual({ defaultLimit: 3, maxLimit: 3 });
    expect(readHermesToolSearch({ search_default_limit: 8, max_search_limit: 50 }).search).toEqual({
      defaultLimit: 8,
      maxLimit: 50,
    });
  });

  it.each<[unknown, string]>([
    [{ enabled: 'maybe' }, 'tools.tool_search.enabled is "maybe"; allowed: auto, on or off'],
    [{ threshold_pct: 101 }, 'tools.tool_search.threshold_pct is 101; allowed: a number from 0 to 100'],
    [{ threshold_pct: '10' }, 'tools.tool_search.threshold_pct is "10"; allowed: a number from 0 to 100'],
    [{ max_search_limit: 51 }, 'tools.tool_search.max_search_limit is 51; allowed: a number from 1 to 50'],
    [{ max_search_limit: 2.5 }, 'tools.tool_search.max_search_limit is 2.5; allowed: a whole number from 1 to 50'],
    [{ search_default_limit: 21 }, 'tools.tool_search.search_default_limit is 21; allowed: a number from 1 to 20'],
    [{ treshold_pct: 5 }, 'tools.tool_search.treshold_pct is not a setting; the settings are enabled, threshold_pct'],
    ['on', 'tools.tool_search is "on"; allowed: true, false, or a block'],
  ])('refuses %j by name', (block, message) => {
    expect(() => readHermesToolSearch(block)).toThrow(message);
  });
});

describe('readCapabilities', () => {
  it('is on at or above a tool count when the list says so', () => {
    expect(readCapabilities({ capabilities: ['tool_search'] }).rule).toEqual({ kind: 'count', tools: 15 });
    expect(readCapabilities({ capabilities: ['x', 'tool_search'] }, { threshold: 3 }).rule).toEqual({
      kind: 'count',
      tools: 3,
    });
    expect(readCapabilities({ capabilities: ['x'] }).rule).toEqual({ kind: 'off' });
  });

  it.each([undefined, {}, { capabilities: 'tool_search' }, { capabilities: [1] }])('refuses %j', (block) => {
    expect(() => readCapabilities(block)).toThrow('allowed: a list of names');
  });

  it('refuses what would have no effect, by name', () => {
    expect(() => readCapabilities({ capabilities: ['tool_search'], threshold: 3 })).toThrow(
      '"threshold" has no effect',
    );
  });

  it('refuses an invalid threshold', () => {
    expect(() => readCapabilities({ capabilities: [] }, { threshold: -1 })).toThrow('threshold is -1');
  });
});
