import { defined, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import {
  type Draft,
  field,
  readName,
  readObject,
  readSchema,
  readText,
  restate,
  restateDescription,
  restateSchema,
  unsupported,
} from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/**
 * Items of MCP's `tools/list`. Deferral has only one mark, `_meta["anthropic/alwaysLoad"]`, which means `never`;
 * `always` can't be expressed. Icons, `execution` and the rest of `_meta` are written back unchanged.
 */
export const mcpFormat: Format = { format: 'mcp', parse, write };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const title = titleIn(definition);
  const outputSchema = readObject(definition, 'outputSchema');
  const annotations = readObject(definition, 'annotations');
  const meta = readObject(definition, '_meta');
  const searchHint = hintIn(meta);
  return createTool({
    name: readName(definition),
    server: context.server,
    description: readText(definition, 'description'),
    schema: readSchema(definition, 'inputSchema'),
    policy: isAlwaysLoaded(meta) ? 'never' : context.missingDeferral,
    extras: { verbatim: { mcp: definition }, ...defined({ title, outputSchema, annotations, searchHint }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, title, outputSchema, annotations, providerType } = tool.extras;
  const received = verbatim?.mcp;
  if (providerType !== undefined) throw unsupported(tool, 'mcp');
  const draft: Draft = { ...received };
  restate(draft, 'name', readText(draft, 'name'), options.name ?? tool.name);
  restate(draft, 'title', titleIn(draft), title);
  restateDescription(draft, tool);
  restateSchema(draft, 'inputSchema', tool.schema, received);
  restate(draft, 'outputSchema', readObject(draft, 'outputSchema'), outputSchema);
  restate(draft, 'annotations', readObject(draft, 'annotations'), annotations);
  restateMeta(draft, tool, { options, isReceived: received !== undefined });
  return draft;
}

function restateMeta(
  draft: Draft,
  tool: Tool,
  { options, isReceived }: { readonly options: WriteOptions; readonly isReceived: boolean },
): void {
  const was = readObject(draft, '_meta');
  const meta: Draft = { ...was };
  restate(meta, HINT, hintIn(was), tool.extras.searchHint);
  const isMarked = isAlwaysLoaded(was);
  // No mark stays no mark: a received definition without one may be `never` by its surface's rule.
  const isWanted =
    options.deferred === undefined
      ? tool.policy === 'never' && (isMarked || !isReceived)
      : isMarked && !options.deferred;
  restate(meta, ALWAYS_LOAD, isMarked || undefined, isWanted || undefined);
  if (was !== undefined || Object.keys(meta).length > 0) restate<JsonObject>(draft, '_meta', was, meta);
}

function titleIn(definition: JsonObject): string | undefined {
  const title = field(definition, 'title') ?? readObject(definition, 'annotations')?.title;
  return typeof title === 'string' ? title : undefined;
}

function hintIn(meta: JsonObject | undefined): string | undefined {
  const hint = meta === undefined ? undefined : field(meta, HINT);
  return typeof hint === 'string' ? hint : undefined;
}

function isAlwaysLoaded(meta: JsonObject | undefined): boolean {
  return meta !== undefined && field(meta, ALWAYS_LOAD) === true;
}

const ALWAYS_LOAD = 'anthropic/alwaysLoad';
const HINT = 'anthropic/searchHint';
