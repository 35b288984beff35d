/** Keeps built indexes by their content, so that the same catalog is not indexed twice: on disk, in a database, anywhere. */
export interface IndexCache {
  /** What is kept under a key; undefined where there is nothing, or it can't be had. What it gives is checked before it is used. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Keeps bytes under a key, in the place of what was there. Searches don't wait for it, and go on if it fails. */
  save(key: string, bytes: Uint8Array): Promise<void>;
  /** SHA-256 of a text's UTF-8 bytes in hexadecimal, where the platform has a faster one. @default the built-in one */
  digest?(text: string): string;
}

/** Smaller catalogs are indexed in less time than it takes to look them up. */
export const LEAST_KEPT_TOOLS = 200;
