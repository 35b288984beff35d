import { checkOptionNames, readChoice } from '../check-option-names.ts';
import { SettingError } from '../errors.ts';

/**
 * When tools are deferred. The dialects that people already use differ in small ways (`exceeds` against `at least`, a share
 * of the context against a count); each is read into this one value by its own reader, and none of it is lost.
 */
export interface GateSettings {
  readonly rule: GateRule;
  readonly search: SearchLimitSettings;
  /** Patterns of tools that are always sent in full, `*` standing for any run of characters. Matched against the id, the name and the name that the model sees. */
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
  /** When the catalog has at least this many tools, those counted that are never deferred. */
  | { readonly kind: 'count'; readonly tools: number };

/** How many matches the model gets. */
export interface SearchLimitSettings {
  /** Matches in an answer when the model names no limit. */
  readonly defaultLimit: number;
  /** The maximum that the model can ask for, 1 to 50. */
  readonly maxLimit: number;
}

/** How many matches a search returns, unless the settings say otherwise. */
export const DEFAULT_SEARCH_LIMITS: SearchLimitSettings = { defaultLimit: 5, maxLimit: 20 };

/** The share of the context window from which deferral is worth its round trip, unless said otherwise. */
export const DEFAULT_SHARE_PERCENT = 10;

/** The library's own default: automatic, from 10% of the context window. */
export const DEFAULT_GATE_SETTINGS: GateSettings = {
  rule: { kind: 'share', percent: DEFAULT_SHARE_PERCENT, comparison: 'at-least' },
  search: DEFAULT_SEARCH_LIMITS,
  pins: [],
};

/** Throws a `SettingError` for settings of another shape, such as the text that one of the readers takes. */
export function checkGateSettings(settings: GateSettings): void {
  const { rule, search, pins } = (settings ?? {}) as Partial<GateSettings>;
  if (typeof rule !== 'object' || rule === null || typeof search !== 'object' || !Array.isArray(pins)) {
    const shown = JSON.stringify(settings) ?? String(settings);
    throw new SettingError(
      'invalid_setting',
      `settings is ${shown.slice(0, 200)}; allowed: { rule, search, pins }, as readEnableToolSearch, readCapabilities and readHermesToolSearch return`,
      { context: { setting: 'settings' } },
    );
  }
  checkOptionNames('settings', settings, DEFAULT_GATE_SETTINGS);
  checkOptionNames('settings.search', search, DEFAULT_SEARCH_LIMITS);
  readChoice('settings.rule.kind', rule.kind, ['off', 'on', 'share', 'count']);
  if (rule.kind === 'share') readChoice('settings.rule.comparison', rule.comparison, ['exceeds', 'at-least']);
}
