import { SettingError } from './errors.ts';

/** A setting that is a whole number. Throws a `SettingError` with what is allowed for any other value. */
export function readWholeNumber(setting: string, value: unknown, min = 1): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min) return value;
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new SettingError('invalid_setting', `${setting} is ${shown}; allowed: a whole number from ${min}`, {
    context: { setting, value },
  });
}
