import type { Plan, Toolbox } from '@quartermaster/core';
import { type DeferPlan, FORMS, type InlinePlan } from '@quartermaster/core/disclosure';
import type { Wire } from '@quartermaster/core/loop';

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

/**
 * Every tool in full and no search, for a request with traces of one that its host would stumble over: rendered, it has neither
 * marks nor search tools, past searches are left out, and references become text.
 */
export function withoutSearch(plan: InlinePlan): DeferPlan {
  return { ...plan, kind: 'defer', form: FORMS.client, engine: 'text', deferred: new Set(), own: [] };
}
