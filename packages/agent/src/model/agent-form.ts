import { chooseForm, type Form, type FormName, type TransportCapabilities } from '@quartermaster/core/disclosure';
import { readChoice } from '@quartermaster/core/internal';

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
export function formFor(capabilities: TransportCapabilities, wish: AgentForm | 'auto'): Form {
  // Conversations use the format of the Messages API, which has no blocks for other providers' searches.
  const can: TransportCapabilities = {
    ...capabilities,
    clientSearch: false,
    hostedSearch: capabilities.hostedSearch.filter((search) => search === 'anthropic-bm25'),
  };
  if (wish !== 'auto') return chooseForm(can, wish).form;
  return chooseForm(can, can.references ? 'native' : 'load').form;
}
