import type { Call, Plan, Tool } from '@quartermaster/core';
import { isJsonObject, writeTools } from '@quartermaster/core/catalog';
import { parseArguments, type Step } from '@quartermaster/core/dispatch';
import type { SearchCallItem, SearchOutputItem } from './responses-shapes-2026-11.ts';

/** A search of ours as the provider would show its own: two items that share the end of their ids. */
export function searchCallItem(call: Call, key: string): SearchCallItem {
  const input = parseArguments(call.arguments) ?? { query: String(call.arguments ?? '') };
  return {
    type: 'tool_search_call',
    id: `tsc_${key}`,
    call_id: null,
    execution: 'server',
    status: 'completed',
    arguments: input,
  };
}

/** Its outcome. A search that could not be run is `incomplete`: there is no other place to say so. */
export function searchOutputItem(step: Step, key: string, plan: Plan): SearchOutputItem {
  const found = step.kind === 'answer' ? step.found : undefined;
  const names = found?.kind === 'search' ? found.names : [];
  return {
    type: 'tool_search_output',
    id: `tso_${key}`,
    call_id: null,
    execution: 'server',
    status: found?.kind === 'search' ? 'completed' : 'incomplete',
    tools: writeFound(names, plan),
  };
}

/** Full definitions as the client knows them. One that came after the plan was made is told by its name. */
function writeFound(names: readonly string[], plan: Plan): readonly unknown[] {
  const { snapshot } = plan;
  const tools = names.map((name) => snapshot.resolve(name)).filter((tool): tool is Tool => tool !== undefined);
  const known = writeTools(tools, 'openai-responses', (tool) =>
    tool.server !== undefined && tool.extras.namespace === undefined ? { name: snapshot.modelName(tool) } : {},
  );
  const unknown = names.filter((name) => snapshot.resolve(name) === undefined);
  return [...known.filter(isJsonObject), ...unknown.map((name) => ({ type: 'function', name, parameters: null }))];
}
