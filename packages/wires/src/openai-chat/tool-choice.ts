import { isJsonObject } from '@quartermaster/core/catalog';
import type { DeferPlan } from '@quartermaster/core/disclosure';
import { ownTool } from '@quartermaster/core/internal';
import { forcesSearch } from '../internal/forced-search.ts';
import { modelName } from '../internal/shown-tools.ts';

/** The one tool that a `tool_choice` forces, or that a definition defines: both have the name in the same place. */
export function forcedName(choice: unknown): string | undefined {
  if (!isJsonObject(choice)) return undefined;
  const inner = choice.type === 'custom' ? choice.custom : choice.function;
  return isJsonObject(inner) && typeof inner.name === 'string' ? inner.name : undefined;
}

/**
 * A `tool_choice` for what is declared now. A list of allowed tools that names deferred ones would be rejected upstream: it is
 * reduced to the declared ones, and ours are added so that the others can be reached.
 */
export function renderToolChoice(choice: unknown, plan: DeferPlan, tools: readonly unknown[]): unknown {
  if (!isJsonObject(choice)) return choice;
  if (choice.type === 'allowed_tools' && isJsonObject(choice.allowed_tools)) {
    const declared = new Set(tools.map(forcedName));
    const listed: readonly unknown[] = Array.isArray(choice.allowed_tools.tools) ? choice.allowed_tools.tools : [];
    const kept = listed.map((tool) => renamed(tool, plan)).filter((tool) => declared.has(forcedName(tool)));
    const ours = plan.own.map((own) => ({ type: 'function', function: { name: own.name } }));
    return { ...choice, allowed_tools: { ...choice.allowed_tools, tools: [...kept, ...ours] } };
  }
  return forcesSearch(choice, forcedName(choice), plan) ? forceSearch(plan) : renamed(choice, plan);
}

function forceSearch(plan: DeferPlan): unknown {
  const search = ownTool(plan, 'search');
  return search === undefined ? 'auto' : { type: 'function', function: { name: search.name } };
}

function renamed(choice: unknown, plan: DeferPlan): unknown {
  const name = forcedName(choice);
  if (name === undefined || !isJsonObject(choice)) return choice;
  const shown = modelName(plan.snapshot, name);
  if (shown === name) return choice;
  const key = choice.type === 'custom' ? 'custom' : 'function';
  return { ...choice, [key]: { ...(choice[key] as object), name: shown } };
}
