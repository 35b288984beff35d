import { AUDIT_DAYS, readEncryptionKey, StoreError } from '../store/index.ts';
import { text, whole } from './scalar-shapes.ts';
import { listOf, object, type Shape, wrong } from './shape.ts';

/** The `store` block as written, before its path is resolved. */
export interface StoreDocument {
  readonly path: string;
  readonly url?: string;
  readonly encryptionKey?: readonly Uint8Array[];
  readonly auditDays: number;
}

/** Where batches, catalogs and keys are kept. */
export const STORE: Shape<StoreDocument> = object({
  path: {
    about: "The SQLite file, relative to this file's folder.",
    shape: text(),
    default: '.quartermaster/store.db',
  },
  url: {
    about: 'A PostgreSQL address; overrides path.',
    shape: text({
      isSecret: true,
      pattern: /^postgres(?:ql)?:\/\//,
      allowed: 'an address that begins with postgres://',
    }),
  },
  encryptionKey: {
    about:
      'Key that encrypts OAuth tokens and conversation state: 32 bytes in base64 (openssl rand -base64 32). In a list, the first key encrypts and all of them decrypt.',
    shape: oneOrMore(encryptionKey()),
  },
  auditDays: {
    about: 'How many days the audit log is kept.',
    shape: whole({ min: 1, max: 36_500 }),
    default: AUDIT_DAYS,
  },
});

function oneOrMore<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  const several = listOf(shape);
  return {
    schema: { anyOf: [shape.schema, several.schema] },
    read(value, place) {
      if (Array.isArray(value)) return several.read(value, place);
      const one = shape.read(value, place);
      return one === undefined ? undefined : [one];
    },
  };
}

function encryptionKey(): Shape<Uint8Array> {
  const secret = text({ isSecret: true });
  return {
    schema: secret.schema,
    read(value, place) {
      const given = secret.read(value, place);
      if (given === undefined) return undefined;
      try {
        return readEncryptionKey(given);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return wrong(value, place, '32 bytes in base64, such as the output of openssl rand -base64 32', {
          isSecret: true,
        });
      }
    },
  };
}
