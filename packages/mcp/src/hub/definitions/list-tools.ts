import type { Json } from '@quartermaster/core/catalog';

/** One page of `tools/list`, unchecked. */
export interface ToolsPage {
  readonly tools: readonly Json[];
  readonly nextCursor?: string;
}

/** How much of a server's list is read. Tools past a limit are missing, and every search says so. */
export interface ListLimits {
  /** @default 100_000 */
  readonly toolsPerServer: number;
  /** For all its definitions as JSON. @default 64 MiB */
  readonly listBytes: number;
  /** @default 1_000 */
  readonly listPages: number;
}

/** The default limits of a server's list. */
export const LIST_DEFAULTS: ListLimits = {
  toolsPerServer: 100_000,
  listBytes: 64 * 1024 * 1024,
  listPages: 1_000,
};

/** An entry of a server's list, with its JSON: serialized once, for its size, its hash and the store. */
export interface ListedDefinition {
  readonly value: Json;
  /** Missing if it can't be serialized, which takes an absurd depth. */
  readonly text?: string;
}

export interface ListedTools {
  readonly tools: readonly ListedDefinition[];
  /** Where the list was cut off, if it was: `after 1000 pages (mcp.limits.listPages)`. */
  readonly stopped?: string;
}

/** All pages of a server's tools. An endless list is cut off; the pages read until then count. */
export async function listTools(
  getPage: (cursor: string | undefined) => Promise<ToolsPage>,
  limits: ListLimits = LIST_DEFAULTS,
): Promise<ListedTools> {
  const cuts = cutsOf(limits);
  const tools: ListedDefinition[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await getPage(cursor);
    for (const value of page.tools) {
      if (tools.length >= limits.toolsPerServer) return { tools, stopped: cuts.tools };
      const tool = listDefinition(value);
      // Characters, which are close enough to bytes for a limit.
      bytes += tool.text?.length ?? 0;
      if (bytes > limits.listBytes) return { tools, stopped: cuts.bytes };
      tools.push(tool);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools };
    if (cursors.has(cursor)) return { tools, stopped: cuts.repeat };
    if (pages >= limits.listPages) return { tools, stopped: cuts.pages };
    cursors.add(cursor);
  }
}

export function listDefinition(value: Json): ListedDefinition {
  try {
    return { value, text: JSON.stringify(value) };
  } catch {
    return { value };
  }
}

/** Whether a list that exceeded some limits would fit within these. Only then is it worth listing again. */
export function isCutAlike(stopped: string, limits: ListLimits): boolean {
  return Object.values(cutsOf(limits)).includes(stopped);
}

function cutsOf(limits: ListLimits): Readonly<Record<'tools' | 'bytes' | 'pages' | 'repeat', string>> {
  return {
    tools: `after ${limits.toolsPerServer} tools (mcp.limits.toolsPerServer)`,
    bytes: `after ${limits.listBytes} bytes (mcp.limits.listBytes)`,
    pages: `after ${limits.listPages} pages (mcp.limits.listPages)`,
    repeat: 'after a page that it repeats',
  };
}
