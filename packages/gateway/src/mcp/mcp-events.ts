import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolboxEvent } from '@quartermaster/core';
import type { JsonObject } from '@quartermaster/core/catalog';
import { defined } from '@quartermaster/core/internal';
import type { Hub } from '@quartermaster/mcp';
import type { GatewayEvent } from '../events/index.ts';
import type { TracedCall, Tracing } from '../tracing/index.ts';

/** What MCP clients do, and the state of the configured servers, as events of the gateway. */
export interface McpEvents {
  /** Everything that happens inside belongs to this request. A lasting connection carries many, so it can't tell. */
  within<Result>(requestId: string, work: () => Promise<Result>): Promise<Result>;
  onEvent(event: ToolboxEvent): void;
  /** What is sent along with a call to a server: its trace. */
  callMeta(call: { readonly id: string }, sent: JsonObject | undefined): JsonObject | undefined;
  /** Emits the servers' events until the returned function is called. */
  follow(): () => void;
}

export function createMcpEvents(
  hub: Hub,
  { emit, tracing }: { emit(event: GatewayEvent): void; readonly tracing?: Tracing | undefined },
): McpEvents {
  /** The span of a call begins once it is known what its client sent along. */
  const calls = new Map<string, { readonly tool: string; readonly server: string; traced?: TracedCall | undefined }>();
  const keyOf = (callId: string | undefined): string => `${requests.getStore()} ${callId}`;
  const requests = new AsyncLocalStorage<string>();
  return {
    within: (requestId, work) => requests.run(requestId, work),
    onEvent(event) {
      const requestId = requests.getStore();
      emit({ ...event, ...defined({ requestId }) });
      if (event.kind === 'tool-call-start' && tracing !== undefined) {
        const tool = hub.snapshot().get(event.tool);
        calls.set(keyOf(event.callId), { tool: tool?.name ?? event.tool, server: tool?.server ?? '' });
      }
      if (event.kind !== 'tool-call-end') return;
      calls.get(keyOf(event.callId))?.traced?.end(event.isError);
      calls.delete(keyOf(event.callId));
      const snapshot = hub.snapshot();
      const tool = snapshot.get(event.tool);
      if (tool?.server === undefined) return;
      emit({
        kind: 'server-call-end',
        ...{ server: tool.server, isConfigured: true, owner: event.callerId ?? '', tool: snapshot.modelName(tool) },
        id: tool.id,
        ...{ isError: event.isError, durationMs: event.durationMs, ...defined({ requestId }) },
      });
    },
    callMeta({ id }, sent) {
      const call = calls.get(keyOf(id));
      if (call === undefined) return undefined;
      const { tool, server } = call;
      call.traced ??= tracing?.beginCall({ requestId: requests.getStore(), tool, server, sent });
      return call.traced?.meta;
    },
    follow() {
      const told = new Map<string, string>();
      const found = new Map<string, ReadonlySet<string>>();
      return hub.subscribe((event) => {
        if (event.kind === 'definition-change') {
          const { tool, fields, isHeld } = event.change;
          emit({ kind: 'definition-change', tool, fields, isHeld });
        }
        if (event.kind === 'listing-cut') emit({ kind: event.kind, server: event.server, reason: event.reason });
        if (event.kind !== 'server-change') return;
        const status = hub.status().find(({ name }) => name === event.server);
        if (status === undefined) return;
        const { name: server, state, reason, tools: toolCount } = status;
        const before = found.get(server);
        const now = new Set<string>();
        found.set(server, now);
        for (const { tool, kind: finding, at } of status.suspicions) {
          const isNews = !now.has(`${finding} ${tool}`) && before?.has(`${finding} ${tool}`) !== true;
          now.add(`${finding} ${tool}`);
          if (!isNews) continue;
          emit({ kind: 'definition-finding', tool, finding, at, isWithheld: hub.snapshot().get(tool) === undefined });
        }
        // The hub reports that something may have changed.
        const said = JSON.stringify([state, reason, toolCount]);
        if (told.get(server) === said) return;
        told.set(server, said);
        emit({ kind: 'server-change', server, state, toolCount, ...defined({ reason }) });
      });
    },
  };
}
