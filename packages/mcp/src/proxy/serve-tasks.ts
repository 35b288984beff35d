import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import type { TaskOwnerStore } from '../store/index.ts';
import { collectLists, describeMissing } from './collect-lists.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { Session } from './session.ts';
import { decodeTaskId, encodeTask } from './task-ids.ts';

export interface TaskRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

/** Notes that a result is a task of this client. Clients without an id are one user, who may use every task. */
export async function noteTask(
  owners: TaskOwnerStore,
  { access }: Session,
  { server, result }: { readonly server: string; readonly result: JsonObject },
): Promise<void> {
  const task = isJsonObject(result.task) ? result.task.taskId : result.taskId;
  if (typeof task === 'string' && access.id !== undefined) await owners.put({ server, task }, access.id);
}

/** `tasks/get`, `tasks/result` and `tasks/cancel`, sent to the server that runs the task. */
export async function askTask(
  { hub, taskOwners }: ProxyContext,
  session: Session,
  { method, params, signal }: TaskRequest,
): Promise<JsonObject> {
  const task = decodeTaskId(params.taskId);
  if (task === undefined || !session.permissions.allowsServer(task.server)) throw unknownTask();
  const { server, taskId } = task;
  const { id } = session.access;
  if (id !== undefined && !(await taskOwners.isOwner({ server, task: taskId }, id))) throw unknownTask();
  const result = await hub.request({ server, method, params: { ...params, taskId }, origin: session.origin, signal });
  return encodeTask(result, server);
}

/** A client's own tasks: a server lists those of every client that shares its connection. */
export async function listTasks(
  { hub, taskOwners }: ProxyContext,
  session: Session,
  signal: AbortSignal,
): Promise<JsonObject> {
  const question = { method: 'tasks/list', key: 'tasks', capability: 'tasks', signal };
  const { listed, missing } = await collectLists(hub, session, question);
  const { id } = session.access;
  const servers = id === undefined ? [] : [...new Set(listed.map(({ server }) => server))];
  const own = new Map<string, ReadonlySet<string>>();
  for (const server of servers) own.set(server, await taskOwners.list(server, id ?? ''));
  const theirs = listed.filter(({ server, item }) => own.get(server)?.has(String(item.taskId)) ?? true);
  return { tasks: theirs.map(({ server, item }) => encodeTask(item, server)), ...describeMissing(missing) };
}

function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
}
