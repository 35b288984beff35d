import type { Tool } from '@quartermaster/core';
import { isJsonObject, type Json, type JsonObject, writeTool, writeTools } from '@quartermaster/core/catalog';
import { type DeferPlan, OWN_NAMES, type Own, type Shown, type View } from '@quartermaster/core/disclosure';
import { asShown, openaiTool } from '../internal/as-shown.ts';
import { openSearch, searchTool } from './open.ts';
import type { ResponsesRequest } from './responses-shapes-2026-11.ts';
import { forcedTool } from './tool-choice.ts';
import { toModelName } from './tool-names.ts';

const fixed = new WeakMap<DeferPlan, readonly Json[]>();

/** The tools to declare for a view. The fixed part is written once per plan, since a catalog may be large. */
export function renderTools(request: ResponsesRequest, view: View, plan: DeferPlan): readonly unknown[] {
  const first = fixedTools(plan);
  const search = searchTool(request);
  if (plan.form.search === 'provider') return [search ?? { type: 'tool_search' }, ...first];
  if (plan.form.search === 'client') {
    const asked = search === undefined || openSearch(request)?.kind !== 'client' ? [] : [writeClientSearch(search)];
    return [...asked, ...first, ...view.revealed.map(writeShown)];
  }
  const late = plan.form.reveal === 'append' ? view.revealed : forcedTools(request, view, plan);
  if (late.length === 0) return first;
  const names = new Set<unknown>(late.map((shown) => shown.name));
  const kept = plan.form.hidden === 'omit' ? first : first.filter((tool) => !names.has((tool as JsonObject).name));
  return [...kept, ...late.map(writeShown)];
}

/** The client's own search as a function, for an upstream that knows no other. */
function writeClientSearch(search: JsonObject): JsonObject {
  const { description, parameters } = search;
  return {
    type: 'function',
    name: OWN_NAMES.search,
    description: typeof description === 'string' ? description : 'Search for tools that are not in your list.',
    parameters: isJsonObject(parameters) ? parameters : QUERY_SCHEMA,
    strict: false,
  };
}

const QUERY_SCHEMA: JsonObject = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

/** A definition for a search's output, as the model gets to call it. */
export function writeLoaded(tool: Tool, name: string): JsonObject {
  return writeTool(openaiTool(tool, 'openai-responses'), 'openai-responses', { name, deferred: true });
}

function fixedTools(plan: DeferPlan): readonly Json[] {
  const known = fixed.get(plan);
  if (known !== undefined) return known;
  const tools =
    plan.form.search === 'provider'
      ? writeMarked(plan)
      : [...plan.own.map((own) => writeOwn(own, plan)), ...plan.shown.map(writeShown)];
  fixed.set(plan, tools);
  return tools;
}

/** For the provider's own search: as they came, namespaces kept, with the marks that the plan gives them. */
function writeMarked(plan: DeferPlan): readonly Json[] {
  const byTool = new Map(plan.shown.map((shown) => [openaiTool(shown.tool, 'openai-responses'), shown]));
  return writeTools([...byTool.keys()], 'openai-responses', (tool) => {
    const shown = byTool.get(tool);
    // A tool that its provider runs (a whole MCP server) is deferred by its own mark; the gate has no say in it.
    const deferred = tool.extras.providerType === undefined ? shown?.as === 'mark' : tool.policy === 'always';
    const isNamed = tool.extras.namespace === undefined && tool.server !== undefined;
    return { deferred, ...(isNamed && shown !== undefined ? { name: shown.name } : {}) };
  });
}

/** A tool that `tool_choice` forces must be declared, whatever the form; for that request alone. */
function forcedTools(request: ResponsesRequest, view: View, plan: DeferPlan): readonly Shown[] {
  const forced = forcedTool(request.tool_choice);
  if (forced === undefined) return [];
  const name = toModelName(plan.snapshot, forced);
  return view.revealed.filter((shown) => shown.name === name);
}

/** Not `strict`, which asks for every parameter to be required. */
function writeOwn(own: Own, plan: DeferPlan): JsonObject {
  const { name, description, schema: parameters } = own;
  if (plan.form.reveal === 'native' && own.role === 'search') {
    return { type: 'tool_search', execution: 'client', description, parameters };
  }
  return { type: 'function', name, description, parameters, strict: false };
}

/** A stub can't be `strict`, which asks for a closed schema. A custom tool has no schema to take away: it stays whole. */
function writeShown(shown: Shown): JsonObject {
  const { tool, name } = shown;
  const options = { name, deferred: shown.as === 'mark' };
  if (shown.as !== 'stub' || tool.extras.freeform === true)
    return writeTool(openaiTool(tool, 'openai-responses'), 'openai-responses', options);
  const extras = { ...tool.extras, strict: false };
  return writeTool({ ...asShown(shown), extras }, 'openai-responses', options);
}
