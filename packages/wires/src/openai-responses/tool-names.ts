import type { Snapshot } from '@quartermaster/core';
import { isJsonObject, toolId } from '@quartermaster/core/catalog';

/** How the client knows a tool: by its name alone, or within a namespace. */
export interface ClientName {
  readonly name: string;
  readonly namespace?: string;
}

/** The client's name of a tool that the model calls. The model sees namespaces as part of a name. */
export function toClientName(snapshot: Snapshot, modelName: string): ClientName {
  const tool = snapshot.resolve(modelName);
  if (tool?.server !== undefined && tool.extras.namespace !== undefined)
    return { name: tool.name, namespace: tool.server };
  return { name: tool === undefined || tool.server !== undefined ? modelName : tool.name };
}

/** The reverse: the name that the model sees, for a call in the client's items. */
export function toModelName(
  snapshot: Snapshot,
  client: { readonly name: string; readonly namespace?: unknown },
): string {
  const namespace = typeof client.namespace === 'string' ? client.namespace : undefined;
  const tool = snapshot.get(toolId(namespace, client.name));
  if (tool !== undefined) return snapshot.modelName(tool);
  return namespace === undefined ? client.name : `${namespace}__${client.name}`;
}

/** The names of definitions, as the model sees them; namespaces are opened. */
export function namesIn(snapshot: Snapshot, definitions: unknown, namespace?: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(definitions) ? definitions : [];
  return list.flatMap((tool) => {
    if (!isJsonObject(tool) || typeof tool.name !== 'string') return [];
    if (tool.type === 'namespace') return namesIn(snapshot, tool.tools, tool.name);
    return [toModelName(snapshot, { name: tool.name, namespace })];
  });
}
