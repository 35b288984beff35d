import type { CallToolResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { isJsonObject, type Policy } from '@quartermaster/core/catalog';
import { checkOptionNames } from '@quartermaster/core/internal';
import type { z } from 'zod';
import { invalidSetting } from '../invalid-setting.ts';

/** What a tool can say about itself besides its schema. */
export interface ToolExtra {
  /** The tool's description of its behaviour: `readOnlyHint`, `destructiveHint` and so on. */
  readonly annotations?: ToolAnnotations;
  /** When the tool may be deferred. Rules in `policies` and the `policy` of its server's entry override it. @default 'automatic' */
  readonly policy?: Policy;
  /** The agent SDK's name for `policy: 'never'`; `policy` overrides it. @default false */
  readonly alwaysLoad?: boolean;
  /** Additional words to find it by. */
  readonly searchHint?: string;
}

/** A tool in this process, for `createSdkMcpServer`. */
export interface SdkMcpToolDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> extends ToolExtra {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Shape;
  /** The handler as `any` server needs it; the arguments have been checked against the shape. */
  handler(args: z.infer<z.ZodObject<Shape>>, extra: ServerContext): CallToolResult | Promise<CallToolResult>;
}

/**
 * Defines a tool whose handler runs in this process. An exception reaches the model as an error. Throws a `SettingError` if a
 * parameter is not a zod 4 schema.
 *
 * @example
 * const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: SdkMcpToolDefinition<Shape>['handler'],
  extra: ToolExtra = {},
): SdkMcpToolDefinition<Shape> {
  checkShape(name, inputSchema);
  checkOptionNames(`tool ${JSON.stringify(name)}`, extra, 'annotations policy alwaysLoad searchHint');
  return { name, description, inputSchema, handler, ...extra };
}

/** With zod 3 schemas a server starts, but can't list its tools: they would be missing, with the reason at most in a status. */
function checkShape(tool: string, shape: unknown): void {
  const parameter = Object.entries(isJsonObject(shape) ? shape : {}).find(([, schema]) => !isSchema(schema))?.[0];
  if (parameter === undefined) return;
  const which = `The parameter ${JSON.stringify(parameter)} of the tool ${JSON.stringify(tool)}`;
  throw invalidSetting({ setting: 'tool', value: parameter }, `${which} needs a schema of zod 4: npm install zod@4`);
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
