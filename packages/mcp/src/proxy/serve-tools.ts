import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Plan } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { remember } from '@quartermaster/core/disclosure';
import { rememberFound, type Step } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import { boundResult } from './bound-result.ts';
import type { ClientRequest } from './client-request.ts';
import { type CallOrigin, callerFor } from './execute-tool.ts';
import { mustAlwaysLoad, withAlwaysLoad } from './known-clients.ts';
import { answerForMissing, toolsNamed } from './missing-servers.ts';
import { renderOwn, renderShown } from './render-tool.ts';
import type { RunningRequest, Session } from './session.ts';
import { textResult, toJointResult, toResult } from './to-result.ts';

/** Answers `tools/list`: our tools, those that are never deferred, and in the load form those found so far. */
export function listProxyTools(session: Session): JsonObject {
  const { toolbox, alwaysLoad } = session.proxy;
  const plan = session.currentPlan();
  session.plan = plan;
  session.isToldToList = false;
  session.told = plan.snapshot;
  // While the client and its model decide what to do.
  toolbox.prepare(plan);
  const view = toolbox.view(plan, session.memory, { caller: session.caller() });
  const isMarked = plan.kind === 'defer' && mustAlwaysLoad(alwaysLoad, session.client);
  const own = plan.kind === 'defer' ? plan.own.map((one) => renderOwn(one, plan.note)) : [];
  const found = plan.kind === 'defer' && plan.form.reveal === 'append' ? view.revealed : [];
  const listed = [...own, ...plan.shown.map(renderShown), ...found.map(renderShown)];
  return { tools: isMarked ? listed.map(withAlwaysLoad) : listed };
}

export interface ToolCallRequest extends ClientRequest, RunningRequest {
  /** More tools are visible to the client. */
  readonly onReveal: () => void;
}

/** Answers `tools/call`, through the same dispatch as every surface. */
export async function callProxyTool(session: Session, request: ToolCallRequest): Promise<JsonObject> {
  const { toolbox, maxResultBytes } = session.proxy;
  const { params, context, signal, ask } = request;
  const { name, arguments: arguments_ = {} } = params;
  if (typeof name !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'tools/call needs a name');
  const plan = session.plan ?? session.currentPlan();
  const isDirect = plan.kind === 'inline' || plan.own.every((own) => own.name !== name);
  const origin: CallOrigin = { session, context, params, isOnly: true, isDirect, ...defined({ ask }) };
  const names = toolsNamed(session, params) ?? [];
  const missing = await answerForMissing(session, { names, running: origin, signal });
  if (missing !== undefined) return missing;
  const caller = callerFor(origin);
  session.forgetSearches();
  const call = { id: String(context.mcpReq.id), name, arguments: arguments_ };
  const step = await toolbox.handle({ plan, call, memory: session.memory, caller, signal });
  if (step.kind === 'answer') return answer(session, { plan, step, onReveal: request.onReveal });

  origin.isOnly = step.calls.length === 1;
  const outcomes = await Promise.all(step.calls.map((call) => toolbox.execute(call, { caller, signal })));
  if (origin.passOn !== undefined) throw origin.passOn;
  if (session.isLasting) {
    for (const call of step.calls) session.memory = remember(session.memory, { kind: 'called', name: call.name });
  }
  const [only] = outcomes;
  const result = outcomes.length === 1 && only !== undefined ? toResult(only) : toJointResult(step.calls, outcomes);
  return boundResult(result, maxResultBytes);
}

/** A search, a description or a refusal. Changes of the catalog are reported with it, because the client's list is not rewritten for them. */
function answer(
  session: Session,
  answering: { readonly plan: Plan; readonly step: Step & { readonly kind: 'answer' }; readonly onReveal: () => void },
): JsonObject {
  const { plan, step, onReveal } = answering;
  const news = session.isLasting ? takeNews(session, plan) : [];
  const result = textResult([step.text, ...news], step.isError ?? false);
  if (!session.isLasting || step.found === undefined) return result;
  const before = session.memory.revealed;
  session.memory = rememberFound(session.memory, step.found, session.clock.now());
  const isAppended = plan.kind === 'defer' && plan.form.reveal === 'append';
  if (isAppended && session.memory.revealed !== before) onReveal();
  return result;
}

/** Tools that were added or removed since the client listed them, reported once. */
function takeNews(session: Session, plan: Plan): readonly string[] {
  const { toolbox } = session.proxy;
  const snapshot = toolbox.snapshot();
  if (session.told === snapshot) return [];
  session.told = snapshot;
  const { tail } = toolbox.view(plan, session.memory, { caller: session.caller() });
  return tail === undefined ? [] : [tail];
}
