import { isJsonObject, type Json } from '../json.ts';
import type { JsonSchema } from '../tool.ts';

/** The schema that stands for a tool whose input is one text, so that it can be found, called and offered in any format. */
export function freeformSchema(format: Json | undefined): JsonSchema {
  const definition = isJsonObject(format) && typeof format.definition === 'string' ? format.definition : undefined;
  const description =
    definition === undefined ? 'The whole input, as text' : `The whole input, as text in this grammar:\n${definition}`;
  return { type: 'object', properties: { input: { type: 'string', description } }, required: ['input'] };
}
