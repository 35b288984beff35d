import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { DeferPlan } from '@quartermaster/core/disclosure';
import { ownTool } from '@quartermaster/core/internal';
import { forcesSearch } from '../internal/forced-search.ts';
import { type ClientName, toModelName } from './tool-names.ts';

/** The one tool that a `tool_choice` forces. */
export function forcedTool(choice: unknown): ClientName | undefined {
  if (!isJsonObject(choice) || (choice.type !== 'function' && choice.type !== 'custom')) return undefined;
  const { name, namespace } = choice;
  if (typeof name !== 'string') return undefined;
  return typeof namespace === 'string' ? { name, namespace } : { name };
}

/**
 * A `tool_choice` for what is declared now. A list of allowed tools that names deferred ones would be rejected upstream: it is
 * reduced to the declared ones, and ours are added so that the others can be reached.
 */
export function renderToolChoice(choice: unknown, plan: DeferPlan, tools: readonly unknown[]): unknown {
  if (!isJsonObject(choice)) return choice;
  if (forcesSearch(choice, forcedTool(choice)?.name, plan)) return forceSearch(plan);
  if (choice.type !== 'allowed_tools') return renamed(choice, plan);
  const declared = new Set(tools.map((tool) => (isJsonObject(tool) ? tool.name : undefined)));
  const listed: readonly unknown[] = Array.isArray(choice.tools) ? choice.tools : [];
  const kept = listed
    .map((tool) => renamed(tool, plan))
    .filter((tool) => {
      const named = forcedTool(tool);
      return named === undefined || declared.has(named.name);
    });
  return { ...choice, tools: [...kept, ...plan.own.map((own) => writeOwn(own.name, plan))] };
}

function forceSearch(plan: DeferPlan): unknown {
  const search = ownTool(plan, 'search');
  return search === undefined || plan.form.reveal === 'native'
    ? { type: 'tool_search' }
    : { type: 'function', name: search.name };
}

function writeOwn(name: string, plan: DeferPlan): JsonObject {
  return plan.form.reveal === 'native' ? { type: 'tool_search' } : { type: 'function', name };
}

function renamed(choice: unknown, plan: DeferPlan): unknown {
  const forced = forcedTool(choice);
  if (forced === undefined || !isJsonObject(choice)) return choice;
  const { namespace: _, ...rest } = choice;
  return { ...rest, name: toModelName(plan.snapshot, forced) };
}
