import { SettingError } from './errors.ts';

/** A setting that is one of some texts. Throws a `SettingError` with all that are allowed for any other value. */
export function readChoice<Choice extends string>(setting: string, value: unknown, allowed: readonly Choice[]): Choice {
  const found = allowed.find((choice) => choice === value);
  if (found !== undefined) return found;
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new SettingError('invalid_setting', `${setting} is ${shown}; allowed: ${allowed.join(', ')}`, {
    context: { setting, value },
  });
}
