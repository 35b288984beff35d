import { StoreError } from './store-error.ts';

/** The length of an AES-256 key. */
const KEY_BYTES = 32;

/** A key in text form: 32 bytes in base64 (`openssl rand -base64 32`), base64url or hexadecimal. The message never repeats it. */
export function readEncryptionKey(text: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = /^[0-9a-fA-F]{64}$/.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[\w+/-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : undefined;
  if (bytes?.length === KEY_BYTES) return new Uint8Array(bytes);
  throw new StoreError(
    'no_encryption_key',
    'The encryption key is not 32 bytes in base64 or hexadecimal; make one with: openssl rand -base64 32',
  );
}
