import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

/**
 * Accepts every object as a result. A proxy forwards what it gets: a content type or a field that the SDK does not know yet is
 * between the client and the server.
 */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'The result is not an object' }] }),
  },
};

/** Accepts every object as parameters, and none as an empty one. */
export const ANY_PARAMS: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'quartermaster',
    validate: (value) => ({ value: isJsonObject(value) ? value : {} }),
  },
};
