import type { Tool } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { ArgumentChecker } from '@quartermaster/core/dispatch';
import { checkOptionNames } from '@quartermaster/core/internal';
import { CHECK_DEFAULTS, type CheckOptions, checkValue } from './check-value.ts';
import type { Unchecked } from './evaluator.ts';

/** Options of `createArgumentChecker`. */
export interface ArgumentCheckerOptions extends CheckOptions {
  /** Called with what could not be decided for a call, whose arguments were therefore accepted. */
  readonly onUnchecked?: (tool: Tool, unchecked: readonly Unchecked[]) => void;
}

/**
 * The argument check for a toolbox.
 *
 * @example
 * const toolbox = createToolbox({ tools, execute, checkArguments: createArgumentChecker({ repair: true }) });
 */
export function createArgumentChecker(options: ArgumentCheckerOptions = {}): ArgumentChecker {
  checkOptionNames('createArgumentChecker', options, { ...CHECK_DEFAULTS, onUnchecked: true });
  const { onUnchecked, ...checkOptions } = options;
  return (tool, sent) => {
    const check = checkValue(tool.schema, sent, checkOptions);
    if (check.unchecked.length > 0) onUnchecked?.(tool, check.unchecked);
    if (check.kind === 'wrong') return { kind: 'wrong', problems: check.problems };
    return isJsonObject(check.repaired) ? { kind: 'good', arguments: check.repaired } : { kind: 'good' };
  };
}
