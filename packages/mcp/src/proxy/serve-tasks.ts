import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { ClientRequest } from './client-request.ts';
import { collectLists, describeMissing } from './collect-lists.ts';
import type { Session } from './session.ts';
import { decodeTaskId, encodeTask } from './task-ids.ts';

/** Notes that a result is a task of this client. Clients without an id are one user, who may use every task. */
export async function noteTask({ access, proxy }: Session, server: string, result: JsonObject): Promise<void> {
  const task = isJsonObject(result.task) ? result.task.taskId : result.taskId;
  if (typeof task === 'string' && access.id !== undefined) await proxy.taskOwners.put({ server, task }, access.id);
}

/** `tasks/get`, `tasks/result` and `tasks/cancel`, sent to the server that runs the task. */
export async function askTask(session: Session, { method, params, signal }: ClientRequest): Promise<JsonObject> {
  const { hub, origin, access, permissions, proxy } = session;
  const task = decodeTaskId(params.taskId);
  if (task === undefined || !permissions.allowsServer(task.server)) throw unknownTask();
  const { server, taskId } = task;
  const isOwn = access.id === undefined || (await proxy.taskOwners.isOwner({ server, task: taskId }, access.id));
  if (!isOwn) throw unknownTask();
  return encodeTask(await hub.request({ server, method, params: { ...params, taskId }, origin, signal }), server);
}

/** A client's own tasks: a server lists those of every client that shares its connection. */
export async function listTasks(session: Session, { signal }: ClientRequest): Promise<JsonObject> {
  const question = { method: 'tasks/list', key: 'tasks', capability: 'tasks', signal };
  const { listed, missing } = await collectLists(session, question);
  const { id } = session.access;
  const servers = id === undefined ? [] : [...new Set(listed.map(({ server }) => server))];
  const own = new Map<string, ReadonlySet<string>>();
  for (const server of servers) own.set(server, await session.proxy.taskOwners.list(server, id ?? ''));
  const theirs = listed.filter(({ server, item }) => own.get(server)?.has(String(item.taskId)) ?? true);
  return { tasks: theirs.map(({ server, item }) => encodeTask(item, server)), ...describeMissing(missing) };
}

function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
}
