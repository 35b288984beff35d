import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JsonObject } from '@quartermaster/core/catalog';
import type { Hub } from '../hub/index.ts';
import { collectLists, describeMissing } from './collect-lists.ts';
import type { Session } from './session.ts';
import { decodeTaskId, encodeTask } from './task-ids.ts';

export interface TaskRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

/** `tasks/get`, `tasks/result` and `tasks/cancel`, sent to the server that runs the task. */
export async function askTask(hub: Hub, session: Session, request: TaskRequest): Promise<JsonObject> {
  const { method, params, signal } = request;
  const task = decodeTaskId(params.taskId);
  if (task === undefined || !session.permissions.allowsServer(task.server)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
  }
  const { server, taskId } = task;
  const result = await hub.request({ server, method, params: { ...params, taskId }, origin: session.origin, signal });
  return encodeTask(result, server);
}

export async function listTasks(hub: Hub, session: Session, signal: AbortSignal): Promise<JsonObject> {
  const question = { method: 'tasks/list', key: 'tasks', capability: 'tasks', signal };
  const { listed, missing } = await collectLists(hub, session, question);
  return { tasks: listed.map(({ server, item }) => encodeTask(item, server)), ...describeMissing(missing) };
}
