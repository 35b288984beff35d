import type { DeferPlan } from './plan.ts';

/**
 * A real call as the model wrote it: in the bridge form the client's history holds `create_issue`, where the model had called
 * `tool_call`. Other forms and other tools stay as they are.
 */
export function wrapCall(
  plan: DeferPlan,
  call: { readonly name: string; readonly arguments: unknown },
): { readonly name: string; readonly arguments: unknown } {
  if (plan.form.invoke !== 'wrapped' || !plan.deferred.has(call.name)) return call;
  const wrapper = plan.own.find((own) => own.role === 'call');
  return wrapper === undefined
    ? call
    : { name: wrapper.name, arguments: { name: call.name, arguments: call.arguments } };
}
