import { tell } from '../disclosure/index.ts';
import type { TellOptions } from './toolbox.ts';
import type { ToolboxContext } from './toolbox-context.ts';

/** An answer's text with the toolbox's own limits. There is nothing to tell where nothing is deferred. */
export function tellFound(context: ToolboxContext, tellOptions: TellOptions): string {
  const { plan, found, before, caller } = tellOptions;
  if (plan.kind === 'inline') return '';
  const { guard, budget, findings } = context.options;
  return tell({ plan, snapshot: context.snapshot(), found, before, guard, budget, findings, allow: caller?.allow });
}
