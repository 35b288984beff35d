import { readChoice } from '../../check-option-names.ts';
import { modelSegments } from '../../gate/internal.ts';

/**
 * How schemas reach the model, as four independent choices. Each product's approach is one combination of them,
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

/** The forms by name. `client` means that the client itself searches. */
export type FormName = 'stub' | 'bridge' | 'load' | 'native' | 'hosted' | 'client';

/**
 * The combinations that have a name. `native` omits definitions: they are sent once they are referenced, so that
 * 10,000 schemas are never transferred; `{ ...FORMS.native, hidden: 'mark' }` sends them all, marked.
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
 * The form for a transport's capabilities. A preferred form that the transport can't carry completely is replaced by `bridge`,
 * which needs only functions and keeps the prefix.
 *
 * @example
 * const { name, form, reason } = chooseForm(capabilitiesOf('openai-chat'), 'load');
 */
export function chooseForm(capabilities: TransportCapabilities, preference: FormName | 'auto' = 'auto'): FormChoice {
  readFormChoice(preference);
  if (preference === 'client') return clientForm(capabilities);
  if (preference === 'auto') {
    const name = NEEDS.native.isMet(capabilities) ? 'native' : 'bridge';
    const reason = name === 'native' ? 'The transport reveals tools natively' : 'The transport supports only functions';
    return { name, form: FORMS[name], reason };
  }
  const needs = NEEDS[preference];
  if (needs.isMet(capabilities)) {
    const form = FORMS[preference];
    const cost = keepsPrefix(form)
      ? ''
      : '; whenever it loads a tool, the provider reads the whole conversation again, uncached';
    return { name: preference, form, reason: `The form "${preference}" was requested${cost}` };
  }
  return {
    name: 'bridge',
    form: FORMS.bridge,
    reason: `The form "${preference}" was requested, but needs ${needs.what}, which this transport does not support`,
  };
}

/** A form's name, or `auto`. Throws a `SettingError` for any other. */
export function readFormChoice(form: unknown): FormName | 'auto' {
  return readChoice('form', form, ['auto', ...FORM_NAMES]);
}

export const FORM_NAMES = Object.keys(FORMS) as readonly FormName[];

/** If a client searches itself, references are sent raw to a transport that knows them, and as declared tools to any other. */
function clientForm(capabilities: TransportCapabilities): FormChoice {
  if (capabilities.references) {
    const form: Form = { ...FORMS.client, hidden: 'mark', reveal: 'native' };
    return { name: 'client', form, reason: 'The client searches, and the transport knows its references' };
  }
  return { name: 'client', form: FORMS.client, reason: 'The client searches; what it found is declared' };
}

/** What each form needs of its transport. */
const NEEDS: Readonly<Record<Exclude<FormName, 'client'>, Need>> = {
  stub: { what: 'functions', isMet: () => true },
  bridge: { what: 'functions', isMet: () => true },
  load: { what: 'a tool list that may grow', isMet: ({ lateTools }) => lateTools },
  native: {
    what: 'references or client-executed search',
    isMet: ({ references, clientSearch }) => references || clientSearch,
  },
  hosted: {
    what: 'a hosted search tool and the defer_loading mark',
    isMet: ({ deferMark, hostedSearch }) => deferMark && hostedSearch.length > 0,
  },
};

interface Need {
  readonly what: string;
  readonly isMet: (capabilities: TransportCapabilities) => boolean;
}

/** What a transport, a protocol at one host, supports. Both halves of a pair are listed, so that neither is sent alone. */
export interface TransportCapabilities {
  /** `tool_reference` blocks in results expand to definitions. */
  readonly references: boolean;
  /** The provider has client-executed searches (OpenAI's `tool_search` with `execution: "client"`). */
  readonly clientSearch: boolean;
  /** The search tools that the provider runs itself. */
  readonly hostedSearch: readonly HostedSearch[];
  /** `defer_loading` on a definition is supported. */
  readonly deferMark: boolean;
  /** The declared tools may grow within a conversation. */
  readonly lateTools: boolean;
  /** The history may contain calls to tools that are not declared. */
  readonly undeclaredCalls: boolean;
  /** A tool's result may contain images. */
  readonly imagesInResults: boolean;
}

/** A search that a provider runs itself. */
export type HostedSearch = 'anthropic-regex' | 'anthropic-bm25' | 'openai';

/** One row of the table: what the transport supports, and the models that don't. */
export interface Transport {
  readonly capabilities: TransportCapabilities;
  /**
   * Models that lack a capability of their transport, by the beginning of a segment of their lower-case id, or by a
   * pattern for one. A model id can only remove capabilities, never add them.
   */
  readonly exceptions?: readonly {
    readonly model: string | RegExp;
    readonly lacks: readonly (keyof TransportCapabilities)[];
  }[];
}

/** Transports by name, for `capabilitiesOf`. */
export type TransportTable = Readonly<Record<string, Transport>>;

/** What a transport supports for a model. A transport that is not in the table supports nothing special, which every form of ours handles. */
export function capabilitiesOf(
  transport: string,
  options: { readonly model?: string | undefined; readonly table?: TransportTable | undefined } = {},
): TransportCapabilities {
  const table = options.table ?? TRANSPORTS;
  const row = Object.hasOwn(table, transport) ? table[transport] : undefined;
  if (row === undefined) return PLAIN;
  const segments = modelSegments(options.model ?? '');
  const lacks = (row.exceptions ?? [])
    .filter((exception) => segments.some((segment) => isModel(exception.model, segment)))
    .flatMap((exception) => exception.lacks);
  return { ...row.capabilities, ...Object.fromEntries(lacks.map((key) => [key, PLAIN[key]])) };
}

function isModel(model: string | RegExp, segment: string): boolean {
  // Not `test`, which would start a global pattern where it last ended.
  return typeof model === 'string' ? segment.startsWith(model) : segment.search(model) >= 0;
}

/** Only declared functions and their results. */
const PLAIN: TransportCapabilities = {
  references: false,
  clientSearch: false,
  hostedSearch: [],
  deferMark: false,
  lateTools: true,
  undeclaredCalls: false,
  imagesInResults: false,
};

const ANTHROPIC: TransportCapabilities = {
  ...PLAIN,
  references: true,
  hostedSearch: ['anthropic-regex', 'anthropic-bm25'],
  deferMark: true,
  undeclaredCalls: true,
  imagesInResults: true,
};

/** Tool search begins with Sonnet 4, Opus 4 and Haiku 4.5. */
const OLDER_CLAUDE: NonNullable<Transport['exceptions']> = ['claude-3', 'claude-2', 'claude-instant'].map((model) => ({
  model,
  lacks: ['references', 'hostedSearch', 'deferMark'] as const,
}));

/** Tool search begins with GPT-5.4. */
const OLDER_GPT: NonNullable<Transport['exceptions']> = [
  ...'chatgpt codex-mini gpt-3 gpt-4 o1 o3 o4'.split(' '),
  /^gpt-5(?!\d|\.(?:[4-9]|\d{2}))/,
].map((model) => ({ model, lacks: ['clientSearch', 'hostedSearch', 'deferMark'] as const }));

/** The known transports. Extend by spreading: `{ ...TRANSPORTS, 'my-host': { capabilities: … } }`. */
export const TRANSPORTS: TransportTable = {
  'anthropic-messages': { capabilities: ANTHROPIC, exceptions: OLDER_CLAUDE },
  'bedrock-invoke': { capabilities: ANTHROPIC, exceptions: OLDER_CLAUDE },
  /** Converse has no search blocks, whatever the model. */
  'bedrock-converse': { capabilities: { ...PLAIN, imagesInResults: true } },
  'vertex-anthropic': { capabilities: ANTHROPIC, exceptions: OLDER_CLAUDE },
  'openai-chat': { capabilities: PLAIN },
  'openai-responses': {
    capabilities: {
      ...PLAIN,
      clientSearch: true,
      hostedSearch: ['openai'],
      deferMark: true,
      undeclaredCalls: true,
      imagesInResults: true,
    },
    exceptions: OLDER_GPT,
  },
  gemini: { capabilities: PLAIN },
  'ai-sdk': { capabilities: { ...PLAIN, imagesInResults: true } },
  'mcp-stateful': { capabilities: { ...PLAIN, imagesInResults: true } },
  /** No memory and no `list_changed`: what is shown first is all that is ever shown. */
  'mcp-stateless': { capabilities: { ...PLAIN, lateTools: false, imagesInResults: true } },
};
