import type { Json } from '@quartermaster/core';
import { type ListedDefinition, listDefinition } from './listed-definition.ts';

/** One page of `tools/list`, unchecked. */
export interface ToolsPage {
  readonly tools: readonly Json[];
  readonly nextCursor?: string;
}

export interface ListLimits {
  /** @default 100 */
  readonly maxPages: number;
  /** @default 5_000 */
  readonly maxTools: number;
  /** Of all definitions as JSON. @default 32 MiB */
  readonly maxBytes: number;
}

export const LIST_DEFAULTS: ListLimits = { maxPages: 100, maxTools: 5_000, maxBytes: 32 * 1024 * 1024 };

export interface ListedTools {
  readonly tools: readonly ListedDefinition[];
  /** Where the list was cut off, if it was: `after 100 pages`. */
  readonly stopped?: string;
}

/** All pages of a server's tools. One that pages for ever is stopped; what it gave until then counts. */
export async function listTools(
  getPage: (cursor: string | undefined) => Promise<ToolsPage>,
  limits: ListLimits = LIST_DEFAULTS,
): Promise<ListedTools> {
  const tools: ListedDefinition[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await getPage(cursor);
    for (const value of page.tools) {
      if (tools.length >= limits.maxTools) return { tools, stopped: `after ${limits.maxTools} tools` };
      const tool = listDefinition(value);
      // Characters, which are near enough to bytes for a bound.
      bytes += tool.text?.length ?? 0;
      if (bytes > limits.maxBytes) return { tools, stopped: `after ${limits.maxBytes} bytes` };
      tools.push(tool);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools };
    if (cursors.has(cursor)) return { tools, stopped: 'after a page that it repeats' };
    if (pages >= limits.maxPages) return { tools, stopped: `after ${pages} pages` };
    cursors.add(cursor);
  }
}
