import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/**
 * Takes every object as a result. A proxy hands on what it got: a content type or a field that the SDK does not know yet is
 * for the two ends to understand.
 */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'The result is not an object' }] }),
  },
};

/** Takes every object as parameters, and none as an empty one. */
export const ANY_PARAMS: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => ({ value: isJsonObject(value) ? value : {} }),
  },
};
