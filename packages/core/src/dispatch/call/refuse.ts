import type { Plan } from '../../disclosure/index.ts';
import { cutText } from '../../disclosure/internal.ts';
import type { Step } from '../call.ts';
import type { RefusalReason } from '../events.ts';
import { suggestName } from '../read/resolve-name.ts';
import type { CallContext } from '../toolbox.ts';
import { eventOrigin, type ToolboxContext } from '../toolbox-context.ts';

const NAME_LENGTH = 100;

export interface Refusal {
  readonly reason: RefusalReason;
  /** What to do instead, for the model. */
  readonly text: string;
  /** The tool's id, where the caller may know of it. */
  readonly tool?: string;
}

/** Turns a call away with an answer that says what to do instead. */
export function refuse(context: ToolboxContext, callContext: CallContext, refusal: Refusal): Step {
  const { reason, text, tool } = refusal;
  context.emit({ ...eventOrigin(context, callContext), kind: 'tool-call-refuse', tool, reason });
  return { kind: 'answer', call: callContext.call, text, isError: true };
}

/** For a name that leads nowhere, and word for word the same for one that the caller may not use. */
export function unknownTool(context: ToolboxContext, callContext: CallContext, name: string): Refusal {
  const near = suggestName({ snapshot: context.snapshot(), name, allow: callContext.caller?.allow });
  const closest = near.length === 0 ? '' : ` Closest: ${near.join(', ')}.`;
  const search = ownName(callContext.plan, 'search');
  const advice = search === undefined ? ` ${wayWithoutSearch(context, callContext)}` : ` Use ${search} to find tools.`;
  return {
    reason: 'unknown',
    text: `There is no tool ${JSON.stringify(cutText(name, NAME_LENGTH))}.${closest}${advice}`,
  };
}

/** How many tools are named where there is no search to find them with. */
const MOST_NAMED = 20;

/** What is left to a model that can't search: the tools that it has, by name. */
export function wayWithoutSearch(context: ToolboxContext, callContext: CallContext): string {
  const { plan, caller } = callContext;
  const names = plan.shown.flatMap(({ name, tool }) => (caller?.allow?.(tool) === false ? [] : [name]));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  if (names.length > 0) return `Call a tool of your list by its name: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`;
  return plan.kind === 'inline' || context.snapshot().tools.length === 0
    ? 'There are no tools now: answer without one.'
    : 'Call a tool of your list by its name, or answer without one.';
}

export function ownName(plan: Plan, role: 'search' | 'describe' | 'call'): string | undefined {
  return plan.kind === 'defer' ? plan.own.find((own) => own.role === role)?.name : undefined;
}
