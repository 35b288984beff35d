import type { Json, JsonObject } from '../json.ts';
import type { JsonSchema, Policy, Tool, ToolFormat } from '../tool.ts';

/** What a definition doesn't say itself. */
export interface ParseContext {
  /** The server of tools that name none. */
  readonly server?: string | undefined;
  /** The OpenAI namespace of the definition, without its tools. */
  readonly namespace?: JsonObject | undefined;
  /** What a definition without a mark means. Provider-defined tools are then `never`. */
  readonly missingDeferral: Policy;
}

/** How to write a tool, if that differs from the tool itself. */
export interface WriteOptions {
  /** The name that the model sees. @default the tool's own name */
  readonly name?: string | undefined;
  /**
   * Whether to mark the tool as deferred: `true` sets the format's mark, `false` removes it.
   * @default by policy: `always` is marked, `never` is marked as not deferred unless the definition had no mark
   */
  readonly deferred?: boolean | undefined;
  /** What the model sees in place of the tool's own description and schema. @default the tool's own */
  readonly shown?: { readonly description: string; readonly schema: JsonSchema } | undefined;
}

/** One definition format: how to read a definition and how to write one. */
export interface Format {
  readonly format: ToolFormat;
  /** Throws `CatalogError` `invalid_tool`, with what is wrong but not with which tool it is: the caller knows. */
  parse(definition: JsonObject, context: ParseContext): Tool;
  /** Lossless for a tool that came in this format; otherwise everything that the format can express. */
  write(tool: Tool, options: WriteOptions): JsonObject;
  /** A whole tools array, if that is more than its definitions one by one. */
  writeAll?(tools: readonly Tool[], options: (tool: Tool) => WriteOptions): readonly Json[];
}
