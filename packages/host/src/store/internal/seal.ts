import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { StoreError } from '../store-error.ts';

/** Encrypts and authenticates small secrets. */
export interface Seal {
  /** `place` is bound to the result: copied into another row, it can't be opened. */
  close(secret: string, place: string): Uint8Array;
  open(sealed: Uint8Array, place: string): string;
}

const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/**
 * AES-256-GCM: `key id | nonce | tag | ciphertext`. The first key encrypts, every key decrypts, so that a key can be replaced by
 * putting the new one first. The key id is the start of the key's SHA-256.
 */
export function createSeal(keys: readonly Uint8Array[]): Seal {
  const known = keys.map((key) => ({ id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES), key }));
  return {
    close(secret, place) {
      const first = known[0];
      if (first === undefined) throw noKey();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, nonce).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return new Uint8Array(Buffer.concat([first.id, nonce, cipher.getAuthTag(), text]));
    },

    open(sealed, place) {
      if (known.length === 0) throw noKey();
      const bytes = Buffer.from(sealed);
      const [nonceAt, tagAt, textAt] = [
        KEY_ID_BYTES,
        KEY_ID_BYTES + NONCE_BYTES,
        KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES,
      ];
      const match = known.find(({ id }) => id.equals(bytes.subarray(0, nonceAt)));
      if (match === undefined || bytes.length < textAt) throw undecipherable();
      try {
        const decipher = createDecipheriv(CIPHER, match.key, bytes.subarray(nonceAt, tagAt), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(tagAt, textAt));
        return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw undecipherable(cause);
      }
    },
  };
}

function noKey(): StoreError {
  return new StoreError(
    'no_encryption_key',
    'Tokens are kept only encrypted, and no encryption key is configured; set store.encryptionKey to the output of: openssl rand -base64 32',
  );
}

function undecipherable(cause?: unknown): StoreError {
  return new StoreError(
    'undecipherable',
    "A stored token can't be decrypted with any configured encryption key; add the key that encrypted it to store.encryptionKey, or sign in again",
    { cause },
  );
}
