import { snapshotTokens } from '@quartermaster/core/gate';
import type { AgentSearcher, SearchEngine } from './create-agent-searcher.ts';
import { agentWire, isSearching, type ResolvedModel } from './model/index.ts';
import { requestFor, requestTokens, sum, type TurnContext } from './turn/index.ts';

/** About how much of the model's context window the next request would take. */
export interface ContextUsage {
  readonly categories: readonly ContextCategory[];
  readonly totalTokens: number;
  readonly maxTokens: number;
  readonly rawMaxTokens: number;
  /** Percentage of the window, 0 to 100. */
  readonly percentage: number;
  readonly model: string;
  readonly mcpTools: readonly ContextTool[];
  /** Our own addition: which engine searches the tools and why, and why tools are deferred or not. */
  readonly toolSearch: SearchEngine & { readonly deferral: string };
}

/** One part of what fills the context window. */
export interface ContextCategory {
  readonly id: 'system_prompt' | 'mcp_tools' | 'mcp_tools_deferred' | 'messages' | 'free_space';
  readonly name: string;
  readonly tokens: number;
  readonly kind: 'used' | 'free' | 'deferred';
}

/** How much of the context window one tool takes. */
export interface ContextTool {
  readonly name: string;
  readonly serverName: string;
  readonly tokens: number;
  /** Whether the model sees its definition, either from the start or because it was found. */
  readonly isLoaded: boolean;
}

export async function contextUsage(context: TurnContext, search: AgentSearcher): Promise<ContextUsage> {
  const resolved: ResolvedModel = await context.model();
  const plan = context.planner.plan(resolved);
  const request = requestFor(context, resolved);
  const revealed = new Set(agentWire.recall(request, plan).revealed);
  const { byTool } = snapshotTokens(plan.snapshot);
  const mcpTools = plan.snapshot.tools
    .filter((tool) => context.caller.allow?.(tool) !== false)
    .map((tool): ContextTool => {
      const name = plan.snapshot.modelName(tool);
      const isLoaded = !plan.deferred.has(name) || revealed.has(name);
      return { name, serverName: tool.server ?? '', tokens: byTool.get(tool) ?? 0, isLoaded };
    });
  const deferred = sum(mcpTools.filter(({ isLoaded }) => !isLoaded).map(({ tokens }) => tokens));
  const { system, tools, messages, total: totalTokens } = requestTokens(request, plan);
  const maxTokens = resolved.limits.contextTokens;
  return {
    categories: [
      { id: 'system_prompt', name: 'System prompt', tokens: system, kind: 'used' },
      { id: 'mcp_tools', name: 'Tools', tokens: tools, kind: 'used' },
      { id: 'messages', name: 'Messages', tokens: messages, kind: 'used' },
      { id: 'mcp_tools_deferred', name: 'Deferred tools', tokens: deferred, kind: 'deferred' },
      { id: 'free_space', name: 'Free space', tokens: Math.max(0, maxTokens - totalTokens), kind: 'free' },
    ],
    totalTokens,
    maxTokens,
    rawMaxTokens: maxTokens,
    percentage: Math.min(100, Math.round((100 * totalTokens) / maxTokens)),
    model: resolved.model,
    mcpTools,
    toolSearch: { ...(isSearching(plan) ? await search.decide() : search.engine), deferral: plan.reason },
  };
}
