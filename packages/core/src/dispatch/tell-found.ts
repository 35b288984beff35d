import { tell } from '../disclosure/index.ts';
import type { Telling } from './toolbox.ts';
import type { ToolboxContext } from './toolbox-context.ts';

/** An answer's text with the toolbox's own limits. There is nothing to tell where nothing is deferred. */
export function tellFound(context: ToolboxContext, telling: Telling): string {
  const { plan, found, before, caller } = telling;
  if (plan.kind === 'inline') return '';
  const { guard, budget } = context.options;
  return tell({ plan, snapshot: context.snapshot(), found, before, guard, budget, allow: caller?.allow });
}
