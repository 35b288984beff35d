import type { Tool } from './tool.ts';

/** An immutable catalog at one moment. Two with the same content have the same hash. */
export interface Snapshot {
  /** SHA-256 of the content, in lower-case hexadecimal. */
  readonly hash: string;
  /**
   * A key for the content, if it is known without reading the tools, such as the hash of a file: the same key means the same
   * tools in the same order. Indexes are kept by it.
   */
  readonly contentKey?: string;
  /** In catalog order. */
  readonly tools: readonly Tool[];
  /** The servers, in the order in which they first appear. */
  readonly servers: readonly string[];
  get(id: string): Tool | undefined;
  /** The name that a model sees for this tool; stable for the same set of tools. */
  modelName(tool: Tool): string;
  /** The tool behind a name that a model wrote. */
  resolve(modelName: string): Tool | undefined;
}
