/** Keeps built indexes by their content, so that the same catalog is not indexed twice: on disk, in a database, anywhere. */
export interface IndexCache {
  /** The bytes under a key; undefined if there are none or they can't be read. They are checked before use. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Stores bytes under a key, replacing earlier ones. Searches don't wait for it, and continue if it fails. */
  save(key: string, bytes: Uint8Array): Promise<void>;
  /** SHA-256 of a text's UTF-8 bytes in hexadecimal, where the platform has a faster one. @default the built-in one */
  digest?(text: string): string;
}

/** Smaller catalogs are indexed in less time than it takes to look them up. */
export const LEAST_KEPT_TOOLS = 200;
