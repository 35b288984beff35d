import type { Plan } from '@quartermaster/core';
import { snapshotTokens } from '@quartermaster/core/gate';

/** What a plan costs and keeps out of a prompt, in estimated tokens. */
export interface PlanCost {
  /** Every definition that the request could use. */
  readonly definitions: number;
  /** Those that are sent in full in any case. */
  readonly full: number;
  /** What is declared in each round: full definitions, stubs, our own tools, the note. */
  readonly declared: number;
}

/** What tool search saved and cost in one response, in estimated tokens. */
export interface TokenAccount {
  /** Definitions that a prompt without tool search would contain. */
  readonly definitions: number;
  /** Those among them that this response's first prompt did not contain. */
  readonly keptOut: number;
  /** Our own tools, stubs and the note. */
  readonly ownTools: number;
  /** Definitions that earlier responses loaded, which are still in the conversation. */
  readonly carried: number;
  /** Answers to searches and descriptions, and what was offered before the model searched. */
  readonly answers: number;
  /** What was read again in each round that followed a search. */
  readonly repeated: number;
  /** All that tool search added. */
  readonly added: number;
  /** `keptOut - added`. Negative if tool search cost more than it kept out. */
  readonly net: number;
  /** How many tokens of definitions a request like this one must have for tool search to pay off. */
  readonly breakEven: number;
}

export function planCost(plan: Plan): PlanCost {
  const byTool = snapshotTokens(plan.snapshot).byTool;
  const full = plan.shown.filter(({ as }) => as === 'full').reduce((sum, { tool }) => sum + (byTool.get(tool) ?? 0), 0);
  return { definitions: plan.tokens.before, full, declared: Math.max(plan.tokens.after, full) };
}

/** What the rounds of one response were sent because of tool search. */
interface SentTokens {
  readonly carried: number;
  readonly offered: number;
  readonly answers: number;
  /** How many rounds followed a search. */
  readonly laterRounds: number;
  /** What the later rounds were sent besides what the plan declares. */
  readonly laterTokens: number;
  /** Rounds that followed the result of a tool: without tool search they would have been made too, with every definition. */
  readonly resultRounds: number;
}

export function tokenAccount({ definitions, full, declared }: PlanCost, sent: SentTokens): TokenAccount {
  const keptOut = definitions - full;
  const ownTools = declared - full;
  const later = sent.laterTokens + sent.laterRounds * declared + sent.resultRounds * ownTools;
  // A search right before the round limit was answered, but no round of this response has read the answer.
  const repeated = Math.max(0, later - sent.answers);
  const answers = sent.offered + later - repeated;
  const added = ownTools + sent.carried + answers + repeated;
  return {
    ...{ definitions, keptOut, ownTools, carried: sent.carried, answers, repeated },
    ...{ added, net: keptOut - added, breakEven: added },
  };
}
