import { readChoice } from '../../check-option-names.ts';
import type { TransportCapabilities } from './transport-capabilities.ts';

/**
 * How schemas reach the model, as four independent choices. A product's way of doing it is one combination of them,
 * so that no stage needs a branch per product.
 */
export interface Form {
  /**
   * How a deferred tool is represented: a `stub` (name, description, open parameters), nothing, or its full definition with a
   * `defer_loading` mark.
   */
  readonly hidden: 'stub' | 'omit' | 'mark';
  /** How a found tool is revealed: in the `answer`'s text, by an `append` to the declared tools, or by the protocol's own blocks. */
  readonly reveal: 'answer' | 'append' | 'native';
  /** How a deferred tool is called: by its own name, or wrapped in `tool_call`. */
  readonly invoke: 'direct' | 'wrapped';
  /** Who searches: we, the provider, or the client itself (as Claude Code does). */
  readonly search: 'local' | 'provider' | 'client';
}

/** The forms by name. `client` means that the client searches by itself. */
export type FormName = 'stub' | 'bridge' | 'load' | 'native' | 'hosted' | 'client';

/**
 * The combinations that have a name. `native` hides by omission: definitions are sent once they are referenced, so that
 * 10,000 schemas never cross the wire; `{ ...FORMS.native, hidden: 'mark' }` sends them all, marked.
 */
export const FORMS: { readonly [Name in FormName]: Form } = {
  stub: { hidden: 'stub', reveal: 'answer', invoke: 'direct', search: 'local' },
  bridge: { hidden: 'omit', reveal: 'answer', invoke: 'wrapped', search: 'local' },
  load: { hidden: 'omit', reveal: 'append', invoke: 'direct', search: 'local' },
  native: { hidden: 'omit', reveal: 'native', invoke: 'direct', search: 'local' },
  hosted: { hidden: 'mark', reveal: 'native', invoke: 'direct', search: 'provider' },
  client: { hidden: 'omit', reveal: 'append', invoke: 'direct', search: 'client' },
};

/** Whether the model-visible bytes before the first message stay the same from turn to turn. Appending definitions changes them. */
export function keepsPrefix(form: Form): boolean {
  return form.reveal !== 'append';
}

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
