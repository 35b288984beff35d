import type { Toolbox } from '@quartermaster/core';
import {
  chooseForm,
  type DeferPlan,
  type Form,
  type FormName,
  type TransportCapabilities,
  withoutSearch,
} from '@quartermaster/core/disclosure';
import type { Caller } from '@quartermaster/core/dispatch';
import { readChoice } from '@quartermaster/core/internal';
import type { ResolvedModel } from './resolve-model.ts';

/** What plans are made from, independent of the model. */
export interface Planning {
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  readonly form: AgentForm | 'auto';
  /** Whether more tools may arrive in a moment. */
  readonly isStarting: () => boolean;
}

/** What to send over this model's transport. If nothing is deferred, the plan declares every tool and has no search. */
export function planFor(
  { toolbox, caller, form, isStarting }: Planning,
  { limits, capabilities }: ResolvedModel,
): DeferPlan {
  const plan = toolbox.plan(limits, {
    form: formFor(capabilities, form),
    caller,
    ...(isStarting() ? { rule: { kind: 'on' }, searchWhenEmpty: true } : {}),
  });
  return plan.kind === 'defer' ? plan : withoutSearch(plan);
}

/** Whether the model searches through us. Only such a plan outlives a change of the catalog, because a search finds new tools. */
export function isSearching(plan: DeferPlan): boolean {
  return plan.own.length > 0;
}

/** How schemas reach the model. Without `client`, where the caller would have to search. */
export type AgentForm = Exclude<FormName, 'client'>;

const WISHES: readonly (AgentForm | 'auto')[] = ['auto', 'stub', 'bridge', 'load', 'native', 'hosted'];

/** The requested form. Throws a `SettingError` if it does not exist. */
export function readForm(form: AgentForm | 'auto' = 'auto'): AgentForm | 'auto' {
  return readChoice('form', form, WISHES);
}

/**
 * The form for a model. `auto` is native if the host expands references, otherwise load. A form that the transport can't carry
 * becomes bridge.
 */
function formFor(capabilities: TransportCapabilities, wish: AgentForm | 'auto'): Form {
  // Conversations use the format of the Messages API, which has no blocks for other providers' searches.
  const can: TransportCapabilities = {
    ...capabilities,
    clientSearch: false,
    hostedSearch: capabilities.hostedSearch.filter((search) => search === 'anthropic-bm25'),
  };
  if (wish !== 'auto') return chooseForm(can, wish).form;
  return chooseForm(can, can.references ? 'native' : 'load').form;
}
