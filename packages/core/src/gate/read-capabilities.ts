import { isJsonObject } from '../catalog/index.ts';
import { checkOptionNames, type OptionNames } from '../check-option-names.ts';
import { SettingError } from '../errors.ts';
import { readWholeNumber } from '../read-whole-number.ts';
import { DEFAULT_GATE_SETTINGS, type GateSettings } from './gate-settings.ts';

/** The tool count at which the `tool_search` capability activates, unless said otherwise. */
export const DEFAULT_TOOL_SEARCH_THRESHOLD = 15;

/** Options of `readCapabilities`. */
export interface CapabilityOptions {
  /** The tool count from which on tools are deferred, 0 or more. @default 15 */
  readonly threshold?: number;
}

const OPTIONS: OptionNames<CapabilityOptions> = { threshold: true };

/** A capability block: `{ "capabilities": ["tool_search"] }` is on at or above a tool count, without it off. Other capabilities are others' business. */
export function readCapabilities(block: unknown, options: CapabilityOptions = {}): GateSettings {
  checkOptionNames('readCapabilities', options, OPTIONS);
  const threshold = readWholeNumber('threshold', options.threshold ?? DEFAULT_TOOL_SEARCH_THRESHOLD, 0);
  const ignored = isJsonObject(block) ? Object.keys(block).filter((key) => key !== 'capabilities') : [];
  if (ignored.length > 0) {
    const told = ignored.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 100)));
    throw new SettingError('invalid_setting', `${told.join(', ')} has no effect here; allowed: capabilities`, {
      context: { setting: ignored[0] },
    });
  }
  const names = isJsonObject(block) ? block.capabilities : undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw new SettingError(
      'invalid_setting',
      `capabilities is ${JSON.stringify(names)}; allowed: a list of names, with "tool_search" in it or not`,
      { context: { setting: 'capabilities', value: names } },
    );
  }
  const isOn = names.includes('tool_search');
  return { ...DEFAULT_GATE_SETTINGS, rule: isOn ? { kind: 'count', tools: threshold } : { kind: 'off' } };
}
