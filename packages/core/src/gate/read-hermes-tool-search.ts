import { isJsonObject } from '../catalog/index.ts';
import { SettingError } from '../errors.ts';
import { DEFAULT_SEARCH_LIMITS, DEFAULT_SHARE_PERCENT, type GateRule, type GateSettings } from './gate-settings.ts';

const KEYS = ['enabled', 'threshold_pct', 'search_default_limit', 'max_search_limit'];

/**
 * Hermes' block under `tools.tool_search`: `{ enabled: auto | on | off, threshold_pct, search_default_limit,
 * max_search_limit }`. `auto` activates when deferrable definitions take *at least* the percentage. The older boolean shape
 * is read too: `true` means auto.
 */
export function readHermesToolSearch(block: unknown): GateSettings {
  if (block === undefined || block === null || block === true) return settings({});
  if (block === false) return settings({ enabled: 'off' });
  if (!isJsonObject(block)) throw wrong('', block, 'true, false, or a block with enabled, threshold_pct and limits');
  for (const key of Object.keys(block)) {
    if (!KEYS.includes(key)) throw unknownKey(key);
  }
  return settings(block);
}

function settings(block: Readonly<Record<string, unknown>>): GateSettings {
  const maxLimit = integer(block, 'max_search_limit', { min: 1, max: 50, fallback: DEFAULT_SEARCH_LIMITS.maxLimit });
  // The default limit is not an error when the maximum was lowered below it: the maximum is a hard bound.
  const fallback = Math.min(DEFAULT_SEARCH_LIMITS.defaultLimit, maxLimit);
  const defaultLimit = integer(block, 'search_default_limit', { min: 1, max: maxLimit, fallback });
  return { rule: readRule(block), search: { defaultLimit, maxLimit }, pins: [] };
}

/** YAML turns a bare `on` or `off` into a boolean, so both shapes arrive. */
function readRule(block: Readonly<Record<string, unknown>>): GateRule {
  const percent = number(block, 'threshold_pct', { min: 0, max: 100, fallback: DEFAULT_SHARE_PERCENT });
  switch (block.enabled ?? 'auto') {
    case 'auto':
      return { kind: 'share', percent, comparison: 'at-least' };
    case 'on':
    case true:
      return { kind: 'on' };
    case 'off':
    case false:
      return { kind: 'off' };
    default:
      throw wrong('.enabled', block.enabled, 'auto, on or off');
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

function number(block: Readonly<Record<string, unknown>>, key: string, range: Range): number {
  const value = block[key] ?? range.fallback;
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value;
  throw wrong(`.${key}`, value, `a number from ${range.min} to ${range.max}`);
}

function integer(block: Readonly<Record<string, unknown>>, key: string, range: Range): number {
  const value = number(block, key, range);
  if (Number.isInteger(value)) return value;
  throw wrong(`.${key}`, value, `a whole number from ${range.min} to ${range.max}`);
}

/** A misspelt key would leave its default in force without a word. */
function unknownKey(key: string): SettingError {
  const message = `tools.tool_search.${key} is not a setting; the settings are ${KEYS.join(', ')}`;
  return new SettingError('invalid_setting', message, { context: { setting: `tools.tool_search.${key}` } });
}

function wrong(path: string, value: unknown, allowed: string): SettingError {
  const setting = `tools.tool_search${path}`;
  return new SettingError('invalid_setting', `${setting} is ${JSON.stringify(value)}; allowed: ${allowed}`, {
    context: { setting, value },
  });
}
