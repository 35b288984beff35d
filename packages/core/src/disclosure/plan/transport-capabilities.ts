/** What a transport, a protocol at one host, can carry. Both halves of a pair are stated, so that none is sent alone. */
export interface TransportCapabilities {
  /** `tool_reference` blocks in results expand to definitions. */
  readonly references: boolean;
  /** The provider knows searches that the client executes (OpenAI's `tool_search` with `execution: "client"`). */
  readonly clientSearch: boolean;
  /** The search tools that the provider runs itself. */
  readonly hostedSearch: readonly HostedSearch[];
  /** `defer_loading` on a definition is understood. */
  readonly deferMark: boolean;
  /** The declared tools may grow within a conversation. */
  readonly lateTools: boolean;
  /** The history may hold calls to tools that are not declared. */
  readonly undeclaredCalls: boolean;
  /** A tool's result may hold images. */
  readonly imagesInResults: boolean;
}

/** A search that a provider runs itself. */
export type HostedSearch = 'anthropic-regex' | 'anthropic-bm25' | 'openai';

/** One row of the table: what the transport can do, and which models there can't. */
export interface Transport {
  readonly capabilities: TransportCapabilities;
  /**
   * Models that lack something which their transport has, by the beginning of a segment of their id in lower case, or by a
   * pattern for one. A model id only ever takes away: what the transport does not carry, no model name brings back.
   */
  readonly exceptions?: readonly {
    readonly model: string | RegExp;
    readonly lacks: readonly (keyof TransportCapabilities)[];
  }[];
}

/** Transports by name, for `capabilitiesOf`. */
export type TransportTable = Readonly<Record<string, Transport>>;

/** What a transport can do for a model. One that is not in the table can do nothing special, which every form of ours survives. */
export function capabilitiesOf(
  transport: string,
  options: { readonly model?: string | undefined; readonly table?: TransportTable | undefined } = {},
): TransportCapabilities {
  const table = options.table ?? TRANSPORTS;
  const row = Object.hasOwn(table, transport) ? table[transport] : undefined;
  if (row === undefined) return PLAIN;
  const segments = (options.model ?? '')
    .slice(0, 256)
    .toLowerCase()
    .split(/[/.:](?=[a-z])/);
  const lacks = (row.exceptions ?? [])
    .filter((exception) => segments.some((segment) => isModel(exception.model, segment)))
    .flatMap((exception) => exception.lacks);
  return { ...row.capabilities, ...Object.fromEntries(lacks.map((key) => [key, PLAIN[key]])) };
}

function isModel(model: string | RegExp, segment: string): boolean {
  // Not `test`, which a global pattern would begin where it last ended.
  return typeof model === 'string' ? segment.startsWith(model) : segment.search(model) >= 0;
}

/** Declared functions and their results, nothing else. */
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
  'chatgpt',
  'codex-mini',
  'gpt-3',
  'gpt-4',
  /^gpt-5(?!\d|\.(?:[4-9]|\d{2}))/,
  'o1',
  'o3',
  'o4',
].map((model) => ({ model, lacks: ['clientSearch', 'hostedSearch', 'deferMark'] as const }));

/** The transports known so far. Extend by spreading: `{ ...TRANSPORTS, 'my-host': { capabilities: … } }`. */
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
