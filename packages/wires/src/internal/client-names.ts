import type { Snapshot } from '@quartermaster/core';
import { toolId } from '@quartermaster/core/catalog';

/**
 * The name by which the client knows a tool that the model calls. A tool that the client declared keeps the name it came with,
 * even where the model was shown another one because that name can't be used; any other is known by what the model sees.
 */
export function clientName(snapshot: Snapshot, modelName: string): string {
  const tool = snapshot.resolve(modelName);
  return tool === undefined || tool.server !== undefined ? modelName : tool.name;
}

/** The other direction: the name that the model sees, for one in the client's messages. */
export function modelName(snapshot: Snapshot, name: string): string {
  const tool = snapshot.get(toolId(undefined, name));
  return tool === undefined ? name : snapshot.modelName(tool);
}
