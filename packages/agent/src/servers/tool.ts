import type { CallToolResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** A tool in this process, for `createSdkMcpServer`. */
export interface SdkMcpToolDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Shape;
  readonly annotations?: ToolAnnotations;
  /** As `any` server needs it; the arguments have been checked against the shape. */
  handler(args: z.infer<z.ZodObject<Shape>>, extra: ServerContext): CallToolResult | Promise<CallToolResult>;
}

export interface ToolExtra {
  /** What the tool says of its behaviour: `readOnlyHint`, `destructiveHint` and so on. */
  readonly annotations?: ToolAnnotations;
}

/** Defines a tool whose handler runs in this process. What it throws is told to the model as an error. */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: SdkMcpToolDefinition<Shape>['handler'],
  extra: ToolExtra = {},
): SdkMcpToolDefinition<Shape> {
  return { name, description, inputSchema, handler, ...extra };
}
