import { UPSTREAM_FORMS, UPSTREAM_PROVIDERS, type UpstreamSettings } from './config.ts';
import { choice, flag, passedOn, text, webAddress, whole } from './scalar-shapes.ts';
import { isGiven, listOf, object, record, type Shape, where } from './shape.ts';

/** The only provider without a default address. */
const NEEDS_ADDRESS = 'openai-compatible';

const NAMES = listOf(text());

/** At least one pattern: an upstream that serves nothing is a mistake. */
const MODELS: Shape<readonly string[]> = {
  schema: { ...NAMES.schema, minItems: 1 },
  read(value, place) {
    const models = NAMES.read(value, place);
    if (Array.isArray(value) && value.length === 0) {
      place.report(place.path, `${where(place.path)} names no model; ["*"] means all`);
    }
    return models;
  },
};

const UPSTREAM_BLOCK = object(
  {
    models: { about: 'Names of the models that it serves; * matches any text.', shape: MODELS },
    provider: { about: 'The provider, which determines the protocol.', shape: choice(UPSTREAM_PROVIDERS) },
    baseUrl: { about: "Its address, if it is not the provider's own.", shape: webAddress() },
    apiKey: { about: `Its API key. Write \${NAME} to read it from the environment.`, shape: text({ isSecret: true }) },
    contextTokens: { about: "The models' context window.", shape: whole({ min: 1, max: 1_000_000_000 }) },
    references: { about: 'Whether the host expands tool_reference blocks.', shape: flag() },
    form: {
      about:
        'How found tools reach the models if the host has no references: bridge and stub only append to the conversation, so the prompt cache stays valid; load adds them to the tool list. Defaults to load for the Messages API, and to bridge for the others.',
      shape: choice(UPSTREAM_FORMS),
    },
    images: {
      about: 'Whether the models can read images. If not, each image is replaced by a note.',
      shape: flag(),
    },
    toolSearch: {
      about: 'Who searches: the gateway (local) or the host (upstream).',
      shape: choice(['local', 'upstream']),
      default: 'local',
    },
    mcpConnector: {
      about:
        'Who connects to the mcp_servers of a request: the gateway (local) or the host (upstream). Defaults to the value of toolSearch.',
      shape: choice(['local', 'upstream']),
    },
    files: {
      about:
        "Whether clients may use the host's files (/v1/files), uploads, vector stores, batches and fine-tuning jobs, which all clients of its key share. Defaults to true only if the client's own key is sent upstream.",
      shape: flag(),
    },
    headers: { about: "Headers sent with every request; clients can't override them.", shape: record(passedOn()) },
    forwardsAuthorization: {
      about: "Whether the client's own key is sent upstream if apiKey is not set.",
      shape: flag(),
    },
  },
  { required: ['models', 'provider'] },
);

/** An entry of `upstreams`: the models of one host. */
export const UPSTREAM: Shape<UpstreamSettings> = {
  schema: {
    ...UPSTREAM_BLOCK.schema,
    if: { required: ['provider'], properties: { provider: { const: NEEDS_ADDRESS } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['baseUrl'] },
  },
  read(value, place) {
    const { models, provider, toolSearch, ...rest } = UPSTREAM_BLOCK.read(value, place) ?? {};
    if (models === undefined || provider === undefined || toolSearch === undefined) return undefined;
    // One that is given but wrong has already been reported.
    if (provider === NEEDS_ADDRESS && !isGiven(value, 'baseUrl')) {
      place.report(
        place.path,
        `${where(place.path)} lacks baseUrl: the address of its host, such as http://127.0.0.1:11434/v1`,
      );
    }
    return { models, provider, toolSearch, ...rest };
  },
};
