import type { Tool } from '@quartermaster/core';
import { NAME_TEMPLATES } from '@quartermaster/core/catalog';
import { suggestPins, type ToolUse } from '@quartermaster/core/gate';
import { createSnapshotInSteps, defined, runInSlices } from '@quartermaster/core/internal';
import type { UsageStore } from '@quartermaster/host/store';

const STEP_TOOLS = 512;

/** How many of an owner's tools are searched, the most used first. */
const MOST_TOOLS = 1_000;

/** The longest names of the dialects: a tool whose name had to be cut has another name in each. */
const NAME_LENGTHS = [128, 64];

/**
 * How often this owner's models called the tools of a catalog, wherever they learned the name, and
 * which of them are worth sending with every request.
 */
export async function readCatalogUsage(
  usage: UsageStore | undefined,
  { name, tools, owner }: { readonly name: string; readonly tools: readonly Tool[]; readonly owner: string },
): Promise<object> {
  const ids = await runInSlices(idsByName(tools));
  const uses = (await usage?.tools({ owner, limit: MOST_TOOLS })) ?? [];
  const calls = new Map<string, number>();
  for (const use of uses) {
    const id = ids.get(use.tool);
    if (id !== undefined) calls.set(id, (calls.get(id) ?? 0) + use.calls);
  }
  const counted: ToolUse[] = [...calls].map(([tool, count]) => ({ tool, calls: count }));
  counted.sort((left, right) => right.calls - left.calls || (left.tool < right.tool ? -1 : 1));
  return { type: 'catalog_usage', name, tools: counted, suggested_pins: suggestPins(counted) };
}

/** How often tools were called by the names that models use: this owner's calls, or everyone's. */
export async function readCalls(
  usage: UsageStore | undefined,
  owner: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const uses = (await usage?.tools({ ...defined({ owner }), limit: MOST_COUNTED })) ?? [];
  return new Map(uses.map(({ tool, calls }) => [tool, calls]));
}

/** The tools in a list that were called. */
const MOST_COUNTED = 20_000;

function* idsByName(tools: readonly Tool[]): Generator<void, ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const maxNameLength of NAME_LENGTHS) {
    const snapshot = yield* createSnapshotInSteps(tools, {
      nameTemplate: NAME_TEMPLATES.proxy,
      maxNameLength,
      onDuplicate: 'first',
      maxTools: tools.length,
    });
    for (let at = 0; at < snapshot.tools.length; at += 1) {
      if (at % STEP_TOOLS === 0) yield;
      const tool = snapshot.tools[at] as Tool;
      ids.set(snapshot.modelName(tool), tool.id);
    }
  }
  return ids;
}
