import { defined, type JsonObject } from '../json.ts';
import { createTool, type Tool } from '../tool.ts';
import { type Draft, read, restate, unsupported } from './definition-fields.ts';
import type { Format, ParseContext, WriteOptions } from './format.ts';

/**
 * Items of MCP's `tools/list`. Deferral has only one mark, `_meta["anthropic/alwaysLoad"]`, which means `never`;
 * `always` can't be expressed. Icons, `execution` and the rest of `_meta` are written back unchanged.
 */
export const mcpFormat: Format = { format: 'mcp', parse, write };

function parse(definition: JsonObject, context: ParseContext): Tool {
  const title = titleIn(definition);
  const outputSchema = read.object(definition, 'outputSchema');
  const annotations = read.object(definition, 'annotations');
  const meta = read.object(definition, '_meta');
  const searchHint = hintIn(meta);
  return createTool({
    name: read.name(definition),
    server: context.server,
    description: read.text(definition, 'description'),
    schema: read.schema(definition, 'inputSchema'),
    policy: isAlwaysLoaded(meta) ? 'never' : context.missingDeferral,
    extras: { verbatim: { mcp: definition }, ...defined({ title, outputSchema, annotations, searchHint }) },
  });
}

function write(tool: Tool, options: WriteOptions): JsonObject {
  const { verbatim, title, outputSchema, annotations, providerType } = tool.extras;
  const received = verbatim?.mcp;
  if (providerType !== undefined) throw unsupported(tool, 'mcp');
  const draft: Draft = { ...received };
  restate.field(draft, 'name', read.text(draft, 'name'), options.name ?? tool.name);
  restate.field(draft, 'title', titleIn(draft), title);
  restate.description(draft, tool);
  restate.schema(draft, 'inputSchema', tool.schema, received);
  restate.field(draft, 'outputSchema', read.object(draft, 'outputSchema'), outputSchema);
  restate.field(draft, 'annotations', read.object(draft, 'annotations'), annotations);
  restateMeta(draft, tool, { options, isReceived: received !== undefined });
  return draft;
}

function restateMeta(
  draft: Draft,
  tool: Tool,
  { options, isReceived }: { readonly options: WriteOptions; readonly isReceived: boolean },
): void {
  const was = read.object(draft, '_meta');
  const meta: Draft = { ...was };
  restate.field(meta, HINT, hintIn(was), tool.extras.searchHint);
  const isMarked = isAlwaysLoaded(was);
  // No mark stays no mark: a received definition without one may be `never` by its surface's rule.
  const isWanted =
    options.deferred === undefined
      ? tool.policy === 'never' && (isMarked || !isReceived)
      : isMarked && !options.deferred;
  restate.field(meta, ALWAYS_LOAD, isMarked || undefined, isWanted || undefined);
  if (was !== undefined || Object.keys(meta).length > 0) restate.field<JsonObject>(draft, '_meta', was, meta);
}

function titleIn(definition: JsonObject): string | undefined {
  const title = read.field(definition, 'title') ?? read.object(definition, 'annotations')?.title;
  return typeof title === 'string' ? title : undefined;
}

function hintIn(meta: JsonObject | undefined): string | undefined {
  const hint = meta === undefined ? undefined : read.field(meta, HINT);
  return typeof hint === 'string' ? hint : undefined;
}

function isAlwaysLoaded(meta: JsonObject | undefined): boolean {
  return meta !== undefined && read.field(meta, ALWAYS_LOAD) === true;
}

const ALWAYS_LOAD = 'anthropic/alwaysLoad';
const HINT = 'anthropic/searchHint';
