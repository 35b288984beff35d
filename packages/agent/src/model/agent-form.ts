import { chooseForm, type Form, type FormName, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { SettingError } from '@quartermaster/core/errors';
import type { ReadGate } from './gate-settings.ts';

/** How schemas reach the model. Not `client`, in which somebody else would have to search. */
export type AgentForm = Exclude<FormName, 'client'>;

const WISHES: readonly (AgentForm | 'auto')[] = ['auto', 'stub', 'bridge', 'load', 'native', 'hosted'];

/** The form that is wished for, checked. Whoever has the `tool_search` capability expects stubs. */
export function readForm(form: AgentForm | 'auto' | undefined, gateSource: ReadGate['source']): AgentForm | 'auto' {
  const wish = form ?? 'auto';
  if (!WISHES.includes(wish)) {
    throw new SettingError('invalid_setting', `form is ${JSON.stringify(wish)}; allowed: ${WISHES.join(', ')}`, {
      context: { setting: 'form', value: wish },
    });
  }
  return wish === 'auto' && gateSource === 'capabilities' ? 'stub' : wish;
}

/**
 * The form for a model. `auto` is native where references are expanded, else load; one that the transport can't carry becomes
 * bridge.
 */
export function formFor(capabilities: TransportCapabilities, wish: AgentForm | 'auto'): Form {
  // Conversations are in the words of the Messages API, which has none for the searches of others.
  const can: TransportCapabilities = {
    ...capabilities,
    clientSearch: false,
    hostedSearch: capabilities.hostedSearch.filter((search) => search === 'anthropic-bm25'),
  };
  if (wish !== 'auto') return chooseForm(can, wish).form;
  return chooseForm(can, can.references ? 'native' : 'load').form;
}
