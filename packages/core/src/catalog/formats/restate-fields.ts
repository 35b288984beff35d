import { CatalogError } from '../../errors.ts';
import { NO_SCHEMA } from '../create-tool.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { JsonSchema, Tool, ToolExtras, ToolFormat } from '../tool.ts';
import type { WriteOptions } from './format.ts';
import { readObject, readText, show } from './read-fields.ts';

/**
 * The deferral mark to write, given the one that the received definition has; `received` is undefined without such a definition.
 * Absence stays absence for `never`: on a wire a tool without a mark is sent in full anyway.
 */
export function deferralMark(
  tool: Tool,
  options: WriteOptions,
  received: { readonly mark: boolean | undefined } | undefined,
): boolean | undefined {
  if (options.deferred !== undefined) return options.deferred ? true : undefined;
  switch (tool.policy) {
    case 'always':
      return true;
    case 'automatic':
      return undefined;
    case 'never':
      return received !== undefined && received.mark === undefined ? undefined : false;
  }
}

/** A definition under construction. Copies made by spreading keep `__proto__` as data. */
export type Draft = { [key: string]: Json };

/** A tool's extras under construction. */
export type DraftExtras = { -readonly [Key in keyof ToolExtras]: ToolExtras[Key] };

/** Writes a field whose value is no longer what the definition says; a key that is there keeps its place. */
export function restate<T extends Json>(draft: Draft, key: string, was: T | undefined, now: T | undefined): void {
  if (was === now) return;
  if (now === undefined) delete draft[key];
  else draft[key] = now;
}

/** No description, null and an empty one read the same, so any of them stays. */
export function restateDescription(draft: Draft, tool: Tool): void {
  restate(draft, 'description', readText(draft, 'description') ?? '', tool.description);
}

/** Writes a schema; a definition that was received without one goes back without one. */
export function restateSchema(draft: Draft, key: string, schema: JsonSchema, received: JsonObject | undefined): void {
  const was = readObject(draft, key);
  if (received !== undefined && was === undefined && isNoSchema(schema)) return;
  restate(draft, key, was, schema);
}

/** Also true of a copy that was stored as text and read again. */
export function isNoSchema(schema: JsonSchema): boolean {
  if (schema === NO_SCHEMA) return true;
  const { type, properties, ...rest } = schema;
  const isBare = type === 'object' && isJsonObject(properties) && Object.keys(properties).length === 0;
  return isBare && Object.keys(rest).length === 0;
}

/** A tool that one provider defines means nothing in another's format. */
export function unsupported(tool: Tool, format: ToolFormat): CatalogError {
  return new CatalogError(
    'unsupported_tool',
    `Tool "${tool.id}" is defined by its provider as ${show(tool.extras.providerType)} and has no ${format} form; leave it out`,
    { context: { id: tool.id, format, providerType: tool.extras.providerType } },
  );
}
