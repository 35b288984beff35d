import { checkOptionNames, readChoice } from '../check-option-names.ts';
import { SettingError } from '../errors.ts';
import { DEFAULT_GATE_SETTINGS, DEFAULT_SEARCH_LIMITS, type GateSettings } from './gate-settings.ts';

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
