import { CatalogError } from '../../errors.ts';
import { defined, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createTool, type JsonSchema, type Tool } from '../tool.ts';
import { type Draft, deferralMark, invalid, isSame, read, restate, show, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/**
 * Tools of the AI SDK: the function and provider tools that a language model receives, and the members of a tool set (where
 * `parseTools` adds the name). Only the former are written, which are plain JSON. Executors and validators are left out.
 */
export const aiSdkFormat: Format = { format: 'ai-sdk', parse, write };

function parse(given: JsonObject, context: ParseContext): Tool {
  const definition = withoutCode(given);
  const providerType = readProviderType(definition);
  const title = read.field(definition, 'title');
  const mark = markIn(definition);
  return createTool({
    name: read.name(definition),
    server: namespaceIn(definition) ?? context.server,
    description: read.text(definition, 'description'),
    schema: read.object(definition, 'inputSchema'),
    policy: mark === undefined && providerType !== undefined ? 'never' : read.policy(mark, context),
    extras: {
      verbatim: { 'ai-sdk': definition },
      ...defined({
        providerType,
        strict: read.boolean(definition, 'strict'),
        title: typeof title === 'string' ? title : undefined,
        examples: examplesIn(definition),
        outputSchema: read.object(definition, 'outputSchema'),
      }),
    },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, providerType, strict, examples } = tool.extras;
  const received = verbatim?.['ai-sdk'];
  if (providerType !== undefined && received === undefined) throw unsupported(tool, 'ai-sdk');
  const draft: Draft = { ...received };
  if (draft.type === undefined || draft.type === 'dynamic') draft.type = 'function';
  restate.field(draft, 'name', read.text(draft, 'name'), options.name ?? tool.name);
  if (providerType !== undefined) return draft;
  restate.description(draft, tool);
  restate.schema(draft, 'inputSchema', tool.schema, received);
  const inputs = examples?.map((input) => ({ input }));
  if (!isSame(examplesIn(draft), examples)) restate.field<Json>(draft, 'inputExamples', draft.inputExamples, inputs);
  restate.field(draft, 'strict', read.boolean(draft, 'strict'), strict);
  restateDeferral(draft, markIn(draft), deferralMark(tool, options, received && { mark: markIn(draft) }));
  return draft;
}

/** The mark has its own place for each provider that supports deferral; a new one is written for both, because the provider is unknown. */
function restateDeferral(draft: Draft, was: boolean | undefined, now: boolean | undefined): void {
  if (was === now) return;
  delete draft.deferLoading;
  const providers: Draft = { ...read.object(draft, 'providerOptions') };
  for (const provider of DEFERRING) {
    const settings: Draft = { ...read.object(providers, provider) };
    restate.field(settings, 'deferLoading', read.boolean(settings, 'deferLoading'), now);
    if (Object.keys(settings).length > 0 || Object.hasOwn(providers, provider)) providers[provider] = settings;
  }
  if (Object.keys(providers).length > 0) draft.providerOptions = providers;
}

/** The tool's own mark, else the first provider's that has one. */
function markIn(definition: JsonObject): boolean | undefined {
  const own = read.boolean(definition, 'deferLoading');
  if (own !== undefined) return own;
  const providers = read.object(definition, 'providerOptions');
  if (providers === undefined) return undefined;
  for (const provider of DEFERRING) {
    const mark = read.boolean(read.object(providers, provider) ?? {}, 'deferLoading');
    if (mark !== undefined) return mark;
  }
  return undefined;
}

function namespaceIn(definition: JsonObject): string | undefined {
  const openai = read.object(read.object(definition, 'providerOptions') ?? {}, 'openai');
  const name = openai && read.object(openai, 'namespace')?.name;
  return typeof name === 'string' ? name : undefined;
}

/** The SDK wraps each example in an object. */
function examplesIn(definition: JsonObject): readonly Json[] | undefined {
  return read
    .list(definition, 'inputExamples')
    ?.map((example) => (isJsonObject(example) && Object.hasOwn(example, 'input') ? (example.input as Json) : example));
}

function readProviderType(definition: JsonObject): string | undefined {
  const type = read.field(definition, 'type');
  if (!PROVIDER_TYPES.has(type)) return undefined;
  const id = read.field(definition, 'id');
  if (typeof id === 'string') return id;
  throw invalid(`its id is ${show(id)}, not a string such as "anthropic.web_search_20250305"`);
}

/** Removes functions, and replaces schemas with their JSON. A provider-defined tool needs neither of its schemas. */
function withoutCode(given: JsonObject): JsonObject {
  const copy: Draft = {};
  const isFunction = !PROVIDER_TYPES.has(given.type);
  for (const [key, value] of Object.entries(given as { readonly [key: string]: unknown })) {
    if (value === undefined) continue;
    if (isFunction && key === 'inputSchema') copy[key] = unwrapSchema(value);
    else if (isFunction && key === 'outputSchema') addOutputSchema(copy, value);
    else if (isData(value))
      Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** An unreadable one is skipped: calls are checked against the other. */
function addOutputSchema(copy: Draft, value: unknown): void {
  try {
    copy.outputSchema = unwrapSchema(value);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
  }
}

function isData(value: unknown): value is Json {
  return typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}

const DEFERRING: readonly string[] = ['anthropic', 'openai'];
/** `provider` in version 4 of the provider interface, `provider-defined` before it. */
const PROVIDER_TYPES: ReadonlySet<Json | undefined> = new Set(['provider', 'provider-defined']);

/**
 * The JSON Schema of anything that the AI SDK accepts as a schema: the schema itself, a holder of it (`jsonSchema()`), a function that
 * returns it, or a schema of a library that converts itself (Standard JSON Schema: Zod, ArkType, Valibot). Throws `invalid_tool`
 * for others, and for promises. Untrusted data contains no functions, so nothing in it is ever called.
 */
function unwrapSchema(value: unknown): JsonSchema {
  let schema = value;
  for (let layers = 0; layers < MOST_LAYERS; layers += 1) {
    const inner = openLayer(schema);
    if (inner === undefined) break;
    schema = inner();
  }
  if (isJsonObject(schema) && !isForeign(schema)) return schema;
  throw invalid(`its inputSchema is ${isJsonObject(schema) ? 'no JSON Schema' : show(schema)}; ${ADVICE}`);
}

/** Removes one layer; undefined if there is none. */
function openLayer(value: unknown): (() => unknown) | undefined {
  const converter = converterOf(value);
  if (converter !== undefined) return () => attempt(() => plain(converter.input({ target: 'draft-07' })));
  if (typeof value === 'function') return () => attempt(() => value() as unknown);
  return isHolder(value) ? () => attempt(() => value.jsonSchema) : undefined;
}

interface Converter {
  input(options: { readonly target: string }): unknown;
}

/** Of https://standardschema.dev/json-schema; some libraries' schemas are functions. */
function converterOf(value: unknown): Converter | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const { '~standard': standard } = value as { readonly '~standard'?: { readonly jsonSchema?: Partial<Converter> } };
  const converter = standard?.jsonSchema;
  return typeof converter?.input === 'function' ? (converter as Converter) : undefined;
}

/** A Zod result is itself a Zod schema, by a hidden property. */
function plain(schema: unknown): unknown {
  return isJsonObject(schema) ? { ...schema } : schema;
}

function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch (cause) {
    throw invalid(
      `its inputSchema can't be made a JSON Schema (${cause instanceof Error ? cause.message : show(cause)})`,
    );
  }
}

function isHolder(value: unknown): value is { readonly jsonSchema: unknown } {
  return isJsonObject(value) && Object.hasOwn(value, 'jsonSchema') && !Object.hasOwn(value, 'type');
}

/** What a schema library or a promise has and JSON doesn't: methods. */
function isForeign(value: object): boolean {
  const { then, parse, validate, '~standard': standard } = value as { readonly [key: string]: unknown };
  if ([then, parse, validate].some((member) => typeof member === 'function')) return true;
  return typeof standard === 'object' && standard !== null && isForeign(standard);
}

/** The SDK goes no further than a function that returns a holder of a schema. */
const MOST_LAYERS = 8;
const ADVICE =
  'pass a JSON Schema, the result of jsonSchema() or a schema that converts itself; for another one, pass what asSchema() makes of it';
