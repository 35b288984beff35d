import type { Plan, Shown } from './plan.ts';

/** What is sent this time: the plan's fixed part, and what the conversation adds. */
export interface View {
  readonly plan: Plan;
  /** Tools that the conversation has revealed and the catalog still holds, in full, in the order in which each was first found or called. */
  readonly revealed: readonly Shown[];
  /**
   * Text for the end of the latest user message that has text of its own: prefetched tools, changes of the catalog.
   * At the tail, because anything earlier would rewrite bytes that the provider has cached.
   */
  readonly tail?: string;
}
