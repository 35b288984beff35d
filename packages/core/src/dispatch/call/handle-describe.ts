import { type DeferPlan, type FoundByName, keepsPrefix } from '../../disclosure/index.ts';
import { snapshotTokens } from '../../gate/index.ts';
import type { Step } from '../call.ts';
import { resolveName } from '../read/resolve-name.ts';
import type { CallContext } from '../toolbox.ts';
import { eventOrigin, type ToolboxContext, tellFound } from '../toolbox-context.ts';
import { refuse, unknownTool } from './refuse.ts';

/** Answers with the full definitions of named tools. Refused only when not one of the names leads anywhere. */
export function handleDescribe(
  context: ToolboxContext,
  callContext: CallContext & { readonly plan: DeferPlan },
  asked: readonly string[],
): Step {
  const { plan, call, memory, caller = {} } = callContext;
  const snapshot = context.snapshot();
  const tools = asked.map((name) => resolveName(snapshot, name, caller.allow));
  const [first = ''] = asked;
  const isOwn = (name: string): boolean => plan.own.some((own) => own.name === name);
  if (tools.every((tool) => tool === undefined) && !asked.some(isOwn))
    return refuse(context, callContext, unknownTool(context, callContext, first));
  const names = tools.map((tool, index) => (tool === undefined ? (asked[index] ?? '') : snapshot.modelName(tool)));
  const found: FoundByName = { kind: 'describe', names: [...new Set(names)] };
  const costs = snapshotTokens(snapshot, context.countTokens).byTool;
  for (const tool of new Set(tools)) {
    if (tool === undefined) continue;
    context.emit({
      ...eventOrigin(context, callContext),
      kind: 'tool-load',
      tool: tool.id,
      name: snapshot.modelName(tool),
      by: 'describe',
      tokens: costs.get(tool) ?? 0,
      keepsPrefix: keepsPrefix(plan.form),
    });
  }
  const text = tellFound(context, { plan, found, before: memory, caller });
  return { kind: 'answer', call, found, text };
}
