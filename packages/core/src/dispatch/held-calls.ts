import type { Snapshot } from '../catalog/index.ts';
import { type Memory, OWN_NAMES, type Plan } from '../disclosure/index.ts';
import type { Caller } from './call.ts';
import { resolveName } from './resolve-name.ts';
import { isDeferred } from './toolbox-context.ts';

/**
 * Which calls must not go to the client as they are: ours, and calls to deferred tools that the conversation has not revealed
 * or whose names are miswritten, since those need a check or a repair first. A name that no one knows, or whose tool the caller
 * may not use, is the client's business.
 */
export function heldCalls(options: {
  readonly plan: Plan;
  readonly memory: Memory;
  readonly snapshot: Snapshot;
  readonly caller?: Caller | undefined;
}): (name: string) => boolean {
  const { plan, memory, snapshot, caller = {} } = options;
  if (plan.kind === 'inline' || plan.form.search === 'provider') return () => false;
  const own = new Set(plan.own.map((tool) => tool.name));
  // The model may have read of our tools before search was switched off; no client can answer a call to one.
  const past = new Set<string>(plan.isSearchOff === true ? Object.values(OWN_NAMES) : []);
  const known = new Set(memory.known);
  return (name) => {
    if (own.has(name)) return true;
    const tool = resolveName(snapshot, name, caller.allow);
    if (tool === undefined) return past.has(name);
    return snapshot.modelName(tool) !== name || (isDeferred(plan, snapshot, tool) && !known.has(name));
  };
}
