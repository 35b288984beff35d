import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/**
 * Servers choose the ids of tasks, and two servers may choose the same one. Clients see `server/id`, so that
 * nothing has to be remembered to find the task again.
 */
export function encodeTaskId(server: string, taskId: string): string {
  return `${encodeURIComponent(server)}/${taskId}`;
}

export function decodeTaskId(id: unknown): { readonly server: string; readonly taskId: string } | undefined {
  const slash = typeof id === 'string' ? id.indexOf('/') : -1;
  if (typeof id !== 'string' || slash === -1) return undefined;
  try {
    return { server: decodeURIComponent(id.slice(0, slash)), taskId: id.slice(slash + 1) };
  } catch {
    return undefined;
  }
}

/** A message with every task id in the client's form. */
export function encodeTask(message: JsonObject, server: string): JsonObject {
  const withId = (value: JsonObject): JsonObject =>
    typeof value.taskId === 'string' ? { ...value, taskId: encodeTaskId(server, value.taskId) } : value;
  const { task, tasks, _meta } = message;
  const related = isJsonObject(_meta) ? _meta[RELATED_TASK] : undefined;
  return {
    ...withId(message),
    ...(isJsonObject(task) ? { task: withId(task) } : {}),
    ...(Array.isArray(tasks) ? { tasks: tasks.map((one) => (isJsonObject(one) ? withId(one) : one)) } : {}),
    ...(isJsonObject(_meta) && isJsonObject(related) ? { _meta: { ..._meta, [RELATED_TASK]: withId(related) } } : {}),
  };
}
