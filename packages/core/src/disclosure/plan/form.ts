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
