import { isJsonObject } from '@quartermaster/core/catalog';

/** How the AI SDK marks the results of `toolSearch()`. */
const TOOL_SEARCH: symbol = Symbol.for('vercel.ai.toolSearch');

/**
 * The same tools, without deferral for those that earlier messages have found or called. The AI SDK's own `toolSearch()` forgets
 * what it found from one generation to the next; messages do not.
 */
export function loadFoundTools<Tools extends Readonly<Record<string, object>>>(
  tools: Tools,
  messages: readonly { readonly role: string; readonly content: unknown }[],
): Tools {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []));
  const names = new Set(
    parts.flatMap((part): readonly unknown[] => {
      if (part.type === 'tool-call') return [part.toolName];
      return part.type === 'tool-result' && isSearch(tools, part.toolName) ? foundIn(part.output) : [];
    }),
  );
  const loaded = Object.entries(tools).map(([name, tool]) => {
    if (!names.has(name) || !('deferLoading' in tool) || tool.deferLoading !== true) return [name, tool];
    return [name, { ...tool, deferLoading: false }];
  });
  return Object.fromEntries(loaded) as Tools;
}

function isSearch(tools: Readonly<Record<string, object>>, name: unknown): boolean {
  if (typeof name !== 'string' || !Object.hasOwn(tools, name)) return false;
  return (tools[name] as { readonly [key: symbol]: unknown })[TOOL_SEARCH] === true;
}

/** `{ type: 'json', value: { tools: [{ name }, …] } }`. */
function foundIn(output: unknown): readonly unknown[] {
  const value = isJsonObject(output) ? output.value : undefined;
  const found = isJsonObject(value) ? value.tools : undefined;
  return (Array.isArray(found) ? found : []).flatMap((one) => (isJsonObject(one) ? [one.name] : []));
}
