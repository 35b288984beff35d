import { isJsonObject } from '../catalog/index.ts';
import { checkOptionNames, notAllowed, readChoice, readWholeNumber, wrongSetting } from '../check-option-names.ts';

/**
 * When tools are deferred. The settings formats in use differ in small ways (`exceeds` against `at least`, a share
 * of the context against a count); each has its own reader into this one value, which loses nothing.
 */
export interface GateSettings {
  readonly rule: GateRule;
  readonly search: SearchLimitSettings;
  /** Patterns of tools that are always sent in full; `*` matches any text. Compared with the id, the name and the name that the model sees. */
  readonly pins: readonly string[];
}

/** When tools are deferred. */
export type GateRule =
  | { readonly kind: 'off' }
  /** Whenever there is something to defer. */
  | { readonly kind: 'on' }
  /** When the definitions that could be deferred take this share of the context window. */
  | {
      readonly kind: 'share';
      /** 0 to 100. */
      readonly percent: number;
      readonly comparison: 'exceeds' | 'at-least';
    }
  /** When the catalog has at least this many tools, including those that are never deferred. */
  | { readonly kind: 'count'; readonly tools: number };

/** How many matches the model gets. */
export interface SearchLimitSettings {
  /** Matches in an answer if the model sets no limit. */
  readonly defaultLimit: number;
  /** The maximum that the model can ask for, 1 to 50. */
  readonly maxLimit: number;
}

/** The default number of matches. */
export const DEFAULT_SEARCH_LIMITS: SearchLimitSettings = { defaultLimit: 5, maxLimit: 20 };

/** The default share of the context window at which deferral is worth its round trip. */
const DEFAULT_SHARE_PERCENT = 10;

/** The library's own default: automatic, from 10% of the context window. */
export const DEFAULT_GATE_SETTINGS: GateSettings = {
  rule: { kind: 'share', percent: DEFAULT_SHARE_PERCENT, comparison: 'at-least' },
  search: DEFAULT_SEARCH_LIMITS,
  pins: [],
};

/** Throws a `SettingError` for settings in another format, such as the text that one of the readers takes. */
export function checkGateSettings(settings: GateSettings): void {
  const { rule, search, pins } = (settings ?? {}) as Partial<GateSettings>;
  if (typeof rule !== 'object' || rule === null || typeof search !== 'object' || !Array.isArray(pins)) {
    const shown = JSON.stringify(settings) ?? String(settings);
    throw wrongSetting(
      'settings',
      `settings is ${shown.slice(0, 200)}; allowed: { rule, search, pins }, as readEnableToolSearch, readCapabilities and readHermesToolSearch return`,
    );
  }
  checkOptionNames('settings', settings, DEFAULT_GATE_SETTINGS);
  checkOptionNames('settings.search', search, DEFAULT_SEARCH_LIMITS);
  readChoice('settings.rule.kind', rule.kind, ['off', 'on', 'share', 'count']);
  if (rule.kind === 'share') readChoice('settings.rule.comparison', rule.comparison, ['exceeds', 'at-least']);
}

const KEYS = ['enabled', 'threshold_pct', 'search_default_limit', 'max_search_limit'];

/**
 * Hermes' block under `tools.tool_search`: `{ enabled: auto | on | off, threshold_pct, search_default_limit,
 * max_search_limit }`. `auto` activates when deferrable definitions take *at least* the percentage. The older boolean format
 * is read too: `true` means auto.
 */
export function readHermesToolSearch(block: unknown): GateSettings {
  if (block === undefined || block === null || block === true) return settings({});
  if (block === false) return settings({ enabled: 'off' });
  if (!isJsonObject(block))
    throw notAllowed('tools.tool_search', block, 'true, false, or a block with enabled, threshold_pct and limits');
  for (const key of Object.keys(block)) {
    // A misspelled key would silently leave its default in force.
    if (!KEYS.includes(key)) {
      const setting = `tools.tool_search.${key}`;
      throw wrongSetting(setting, `${setting} is not a setting; the settings are ${KEYS.join(', ')}`);
    }
  }
  return settings(block);
}

function settings(block: Readonly<Record<string, unknown>>): GateSettings {
  const maxLimit = integer(block, 'max_search_limit', { min: 1, max: 50, fallback: DEFAULT_SEARCH_LIMITS.maxLimit });
  // The default limit is not an error if the maximum was lowered below it: the maximum is a hard limit.
  const fallback = Math.min(DEFAULT_SEARCH_LIMITS.defaultLimit, maxLimit);
  const defaultLimit = integer(block, 'search_default_limit', { min: 1, max: maxLimit, fallback });
  return { rule: readRule(block), search: { defaultLimit, maxLimit }, pins: [] };
}

/** YAML turns a bare `on` or `off` into a boolean, so both occur. */
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
      throw notAllowed('tools.tool_search.enabled', block.enabled, 'auto, on or off');
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
  throw notAllowed(`tools.tool_search.${key}`, value, `a number from ${range.min} to ${range.max}`);
}

function integer(block: Readonly<Record<string, unknown>>, key: string, range: Range): number {
  return readWholeNumber(`tools.tool_search.${key}`, number(block, key, range), range.min, range.max);
}

/** The default tool count at which the `tool_search` capability activates. */
export const DEFAULT_TOOL_SEARCH_THRESHOLD = 15;

/** Options of `readCapabilities`. */
export interface CapabilityOptions {
  /** The tool count at which tools are deferred, 0 or more. @default 15 */
  readonly threshold?: number;
}

/** A capability block: `{ "capabilities": ["tool_search"] }` is on at or above a tool count; without it search is off. Other capabilities are ignored. */
export function readCapabilities(block: unknown, options: CapabilityOptions = {}): GateSettings {
  checkOptionNames('readCapabilities', options, 'threshold');
  const threshold = readWholeNumber('threshold', options.threshold ?? DEFAULT_TOOL_SEARCH_THRESHOLD, 0);
  const ignored = isJsonObject(block) ? Object.keys(block).filter((key) => key !== 'capabilities') : [];
  if (ignored.length > 0) {
    const told = ignored.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 100)));
    throw wrongSetting(ignored[0] as string, `${told.join(', ')} has no effect here; allowed: capabilities`);
  }
  const names = isJsonObject(block) ? block.capabilities : undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw notAllowed('capabilities', names, 'a list of names, with "tool_search" in it or not');
  }
  const isOn = names.includes('tool_search');
  return { ...DEFAULT_GATE_SETTINGS, rule: isOn ? { kind: 'count', tools: threshold } : { kind: 'off' } };
}

/**
 * The agent SDK's `ENABLE_TOOL_SEARCH`: unset or `true` is on, `auto` activates when definitions *exceed* 10% of the context window,
 * `auto:N` the same with N %, `false` is off. An empty variable counts as unset, as in a shell.
 *
 * @example
 * const toolbox = createToolbox({ tools, settings: readEnableToolSearch('auto:5') });
 */
export function readEnableToolSearch(value: string | undefined): GateSettings {
  return { ...DEFAULT_GATE_SETTINGS, rule: readSwitch(value) };
}

function readSwitch(value: string | undefined): GateRule {
  switch (value?.trim().toLowerCase() ?? '') {
    case '':
    case 'true':
      return { kind: 'on' };
    case 'false':
      return { kind: 'off' };
    case 'auto':
      return { kind: 'share', percent: DEFAULT_SHARE_PERCENT, comparison: 'exceeds' };
  }
  const percent = /^\s*auto:(\d{1,3}(?:\.\d{1,6})?)\s*$/i.exec(value ?? '')?.[1];
  if (percent === undefined || Number(percent) > 100) {
    const allowed = 'true, false, auto, and auto:N with N from 0 to 100';
    const message = `ENABLE_TOOL_SEARCH is ${JSON.stringify(value)}; allowed are ${allowed}`;
    throw wrongSetting('ENABLE_TOOL_SEARCH', message, { value });
  }
  return { kind: 'share', percent: Number(percent), comparison: 'exceeds' };
}
