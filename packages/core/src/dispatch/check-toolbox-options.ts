import { checkOptionNames, type OptionNames, readChoice } from '../check-option-names.ts';
import { ANSWER_DEFAULTS, GUARD_DEFAULTS } from '../disclosure/index.ts';
import { checkGateSettings } from '../gate/index.ts';
import type { Hooks } from './call/index.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

export const TOOLBOX_OPTIONS: OptionNames<ToolboxOptions> = {
  tools: true,
  execute: true,
  searcher: true,
  uses: true,
  regexSearcher: true,
  engine: true,
  settings: true,
  form: true,
  countTokens: true,
  checkArguments: true,
  hooks: true,
  onEvent: true,
  now: true,
  recordQueries: true,
  maxQueryLength: true,
  guard: true,
  budget: true,
  listingTokens: true,
  stubDescriptionLength: true,
  unavailable: true,
  findings: true,
  isSearchable: true,
  prefetchLimit: true,
};

const HOOKS: OptionNames<Hooks> = { beforeCall: true, approve: true, afterCall: true };

/** Throws a `SettingError` for an option that does not exist, or has a value that is not allowed. */
export function checkToolboxOptions(
  options: Pick<ToolboxOptions, 'engine' | 'settings' | 'guard' | 'budget' | 'hooks'>,
  { owner, allowed }: { readonly owner: string; readonly allowed: object },
): void {
  checkOptionNames(owner, options, allowed);
  const { engine, settings, guard = {}, budget = {}, hooks = {} } = options;
  if (engine !== undefined) readChoice('engine', engine, ['text', 'regex']);
  if (settings !== undefined) checkGateSettings(settings);
  checkOptionNames('guard', guard, GUARD_DEFAULTS);
  if (guard.mode !== undefined) readChoice('guard.mode', guard.mode, ['stop', 'stop-repeats', 'hint', 'off']);
  checkOptionNames('budget', budget, ANSWER_DEFAULTS);
  checkOptionNames('hooks', hooks, HOOKS);
}
