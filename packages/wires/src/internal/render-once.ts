import type { Plan, Toolbox } from '@quartermaster/core';
import { type InlinePlan, withoutSearch } from '@quartermaster/core/disclosure';
import { type TranscriptStore, type Wire, weaveHistory } from '@quartermaster/core/loop';

/** A request rendered without a loop around it. */
export function renderOnce<Request, Part>(stages: {
  readonly request: Request;
  readonly wire: Wire<Request, Part>;
  readonly toolbox: Toolbox;
  readonly plan: Plan;
}): Request {
  const { request, wire, toolbox, plan } = stages;
  const view = toolbox.view(plan, wire.recall(request, plan));
  return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
}

/** The stages of a request that is sent once. */
export interface OnceStages<Request, Part> {
  readonly request: Request;
  readonly wire: Wire<Request, Part>;
  readonly plan: Plan;
  /** The plan if nothing were held back any more, for a conversation in which something was. */
  readonly inline?: InlinePlan | undefined;
}

/**
 * A conversation in which something was hidden goes through the loop though nothing is held back any more: the loop weaves it in, and
 * answers what the model calls of the search that it has read about. Undefined where nothing was hidden.
 */
export async function withHistory<Request, Part, Stages extends OnceStages<Request, Part>>(
  stages: Stages,
  transcript: TranscriptStore | undefined,
): Promise<(Stages & { readonly plan: Plan }) | undefined> {
  const { wire, request, inline } = stages;
  if (transcript === undefined || inline === undefined) return undefined;
  const woven = await weaveHistory({ wire, request, transcript });
  return woven.request === request ? undefined : { ...stages, plan: withoutSearch(inline) };
}
