import type { Plan } from '../disclosure/index.ts';
import type { Searchers } from './searchers-for.ts';
import type { ToolboxContext } from './toolbox-context.ts';

/** Where the plan offers a search: has its searcher build what the first one would wait for. */
export function prepareSearch(context: ToolboxContext, plan: Plan): void {
  if (plan.kind === 'inline') return;
  for (const { role, engine } of plan.own) {
    if (role !== 'search') continue;
    const searchers = context.searchers[engine ?? plan.engine];
    if (!searchers.isPrepared(context.snapshot())) searchers.enqueue(context, () => build(context, searchers));
  }
}

/** For the catalog as it is when its turn comes: of changes that come together, only the last is built for. */
async function build(context: ToolboxContext, searchers: Searchers): Promise<void> {
  const snapshot = context.snapshot();
  if (searchers.isPrepared(snapshot)) return;
  const startedMs = context.now();
  let isError = false;
  try {
    await searchers.prepare(snapshot);
  } catch {
    // The next search tries again, and tells the model where it fails as well.
    isError = true;
  }
  context.emit({
    kind: 'search-prepare-end',
    isError,
    toolCount: snapshot.tools.length,
    durationMs: context.now() - startedMs,
  });
}
