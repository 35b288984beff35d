import type { Plan } from '@quartermaster/core';
import { estimateTokens, snapshotTokens } from '@quartermaster/core/gate';

/** What a plan costs and keeps out of a prompt, in estimated tokens. */
export interface PlanCost {
  /** Every definition that the request could use. */
  readonly definitions: number;
  /** Those that are sent in full either way. */
  readonly full: number;
  /** What is declared in each round: full definitions, stubs, our own tools. */
  readonly declared: number;
}

/** What tool search saved and cost in one response, in estimated tokens. */
export interface TokenAccount {
  /** Definitions that a prompt without tool search would hold. */
  readonly definitions: number;
  /** Of those, what this response's first prompt did not hold. */
  readonly keptOut: number;
  /** Our own tools, stubs and the note. */
  readonly ownTools: number;
  /** Definitions that earlier responses loaded, which are still in the conversation. */
  readonly carried: number;
  /** Answers to searches and descriptions. */
  readonly answers: number;
  /** The conversation, read again in each round that followed a search. */
  readonly repeated: number;
  /** All that tool search added. */
  readonly added: number;
  /** `keptOut - added`. Negative where tool search cost more than it kept out. */
  readonly net: number;
  /** How many tokens of definitions a request like this one must have for tool search to pay. */
  readonly breakEven: number;
}

const costs = new WeakMap<Plan, PlanCost>();

/** Counted once per plan. */
export function planCost(plan: Plan): PlanCost {
  const known = costs.get(plan);
  if (known !== undefined) return known;
  const byTool = snapshotTokens(plan.snapshot).byTool;
  const full = plan.shown.filter(({ as }) => as === 'full').reduce((sum, { tool }) => sum + (byTool.get(tool) ?? 0), 0);
  const note = plan.note === undefined ? 0 : estimateTokens(plan.note);
  const cost = { definitions: plan.tokens.before, full, declared: Math.max(plan.tokens.after, full) + note };
  costs.set(plan, cost);
  return cost;
}

export function tokenAccount(response: {
  readonly plan: PlanCost;
  readonly carried: number;
  readonly answers: number;
  /** What each round after the first was sent besides its tools. */
  readonly laterRounds: readonly number[];
}): TokenAccount {
  const { plan, carried, answers, laterRounds } = response;
  const keptOut = plan.definitions - plan.full;
  const ownTools = plan.declared - plan.full;
  // Later rounds read everything again, the answers among it: those are listed by themselves.
  const again = laterRounds.reduce((sum, tokens) => sum + tokens + plan.declared, 0);
  const repeated = Math.max(0, again - answers);
  const added = ownTools + carried + answers + repeated;
  return {
    ...{ definitions: plan.definitions, keptOut, ownTools, carried, answers, repeated, added },
    net: keptOut - added,
    breakEven: added,
  };
}
