import { readChoice } from '../../check-option-names.ts';
import { FORMS, type Form, type FormName, keepsPrefix } from './form.ts';
import type { TransportCapabilities } from './transport-capabilities.ts';

/** The form that `chooseForm` has chosen. */
export interface FormChoice {
  readonly name: FormName;
  readonly form: Form;
  /** Why this form, and not the preferred one. */
  readonly reason: string;
}

/**
 * The form for what a transport can do. A preference that it can't carry in full is not carried by half: `bridge` takes its
 * place, which needs nothing but functions and keeps the prefix.
 *
 * @example
 * const { name, form, reason } = chooseForm(capabilitiesOf('openai-chat'), 'load');
 */
export function chooseForm(capabilities: TransportCapabilities, preference: FormName | 'auto' = 'auto'): FormChoice {
  readFormChoice(preference);
  if (preference === 'client') return clientForm(capabilities);
  if (preference === 'auto') {
    const name = canCarry('native', capabilities) ? 'native' : 'bridge';
    const reason = name === 'native' ? 'The transport reveals tools natively' : 'The transport supports only functions';
    return { name, form: FORMS[name], reason };
  }
  if (canCarry(preference, capabilities)) {
    const form = FORMS[preference];
    const cost = keepsPrefix(form)
      ? ''
      : '; whenever it loads a tool, the provider reads the whole conversation again, uncached';
    return { name: preference, form, reason: `The form "${preference}" was requested${cost}` };
  }
  return {
    name: 'bridge',
    form: FORMS.bridge,
    reason: `The form "${preference}" was requested, but needs ${NEEDS[preference]}, which this transport does not support`,
  };
}

/** A form's name, or `auto`. Throws a `SettingError` for any other. */
export function readFormChoice(form: unknown): FormName | 'auto' {
  return readChoice('form', form, ['auto', ...FORM_NAMES]);
}

const FORM_NAMES = Object.keys(FORMS) as readonly FormName[];

function canCarry(name: Exclude<FormName, 'client'>, capabilities: TransportCapabilities): boolean {
  switch (name) {
    case 'stub':
    case 'bridge':
      return true;
    case 'load':
      return capabilities.lateTools;
    case 'native':
      return capabilities.references || capabilities.clientSearch;
    case 'hosted':
      return capabilities.deferMark && capabilities.hostedSearch.length > 0;
  }
}

/** A client that searches by itself sends references: raw to a transport that knows them, as declared tools to any other. */
function clientForm(capabilities: TransportCapabilities): FormChoice {
  if (capabilities.references) {
    const form: Form = { ...FORMS.client, hidden: 'mark', reveal: 'native' };
    return { name: 'client', form, reason: 'The client searches, and the transport knows its references' };
  }
  return { name: 'client', form: FORMS.client, reason: 'The client searches; what it found is declared' };
}

const NEEDS = {
  stub: 'functions',
  bridge: 'functions',
  load: 'a tool list that may grow',
  native: 'references or client-executed search',
  hosted: 'a hosted search tool and the defer_loading mark',
};
