import { SettingError } from '../errors.ts';
import { DEFAULT_GATE_SETTINGS, DEFAULT_SHARE_PERCENT, type GateRule, type GateSettings } from './gate-settings.ts';

/**
 * The agent SDK's `ENABLE_TOOL_SEARCH`: unset or `true` is on, `auto` when definitions *exceed* 10% of the context window,
 * `auto:N` the same with N %, `false` is off. An empty variable counts as unset, as in a shell.
 *
 * @example
 * const toolbox = createToolbox({ tools, settings: readEnableToolSearch('auto:5') });
 */
export function readEnableToolSearch(value: string | undefined): GateSettings {
  return { ...DEFAULT_GATE_SETTINGS, rule: readRule(value) };
}

function readRule(value: string | undefined): GateRule {
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
    throw new SettingError(
      'invalid_setting',
      `ENABLE_TOOL_SEARCH is ${JSON.stringify(value)}; allowed are true, false, auto, and auto:N with N from 0 to 100`,
      { context: { setting: 'ENABLE_TOOL_SEARCH', value } },
    );
  }
  return { kind: 'share', percent: Number(percent), comparison: 'exceeds' };
}
