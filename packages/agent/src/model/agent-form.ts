import { chooseForm, type Form, type FormName, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { readChoice } from '@quartermaster/core/internal';

/** How schemas reach the model. Not `client`, in which the caller would have to search. */
export type AgentForm = Exclude<FormName, 'client'>;

const WISHES: readonly (AgentForm | 'auto')[] = ['auto', 'stub', 'bridge', 'load', 'native', 'hosted'];

/** The form that is asked for. Throws a `SettingError` for one that does not exist. */
export function readForm(form: AgentForm | 'auto' = 'auto'): AgentForm | 'auto' {
  return readChoice('form', form, WISHES);
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
