import { isJsonObject } from '@quartermaster/core/catalog';
import type { ResponsesRequest } from '@quartermaster/wires/openai-responses';
import type { ModelTarget } from '../model-target.ts';
import { type DeclaredTool, readOpenaiTools } from '../openai-tools.ts';

/** The tools that a request declares, and those that its items add within the conversation. If two have the same name, the first counts. */
export function declaredTools({ tools, input }: ResponsesRequest, target: ModelTarget): readonly DeclaredTool[] {
  const declared: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  const added = items.flatMap((item): readonly unknown[] =>
    isJsonObject(item) && item.type === 'additional_tools' && Array.isArray(item.tools) ? item.tools : [],
  );
  const known = new Map<string, DeclaredTool>();
  for (const tool of readOpenaiTools([...declared, ...added], target)) {
    if (!known.has(tool.modelName)) known.set(tool.modelName, tool);
  }
  return [...known.values()];
}
