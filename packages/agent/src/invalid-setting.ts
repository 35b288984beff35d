import { SettingError } from '@quartermaster/core/errors';
import { defined } from '@quartermaster/core/internal';

export interface InvalidSetting {
  /** The option, or the path to a part of it. */
  readonly setting: string;
  readonly value?: unknown;
  readonly cause?: unknown;
}

/** The error for an option of a query that can't be used. */
export function invalidSetting({ cause, ...context }: InvalidSetting, problem: string): SettingError {
  return new SettingError('invalid_setting', problem, { context: { ...context }, ...defined({ cause }) });
}
