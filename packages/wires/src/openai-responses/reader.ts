import type { Call, Plan } from '@quartermaster/core';
import { parseArguments } from '@quartermaster/core/dispatch';
import { ownTool } from '@quartermaster/core/internal';
import { orderedReads, type Place, type Read, type Reader } from '@quartermaster/core/loop';
import { isCall, isSearchCall, type ResponsesEvent, type ResponsesItem } from './responses-shapes-2026-11.ts';

/** A held call with the item that the model wrote, and its position in the round's output. */
export interface HeldItemCall extends Call {
  readonly item: ResponsesItem;
  readonly outputIndex: number;
}

/** Items that the client has to answer before the model can continue. */
const WAITING: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

const CLOSINGS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * Reads one round. All events of a held item are held back; the call is handed over once the round has ended normally, followed by what
 * the model wrote after it.
 */
export function createReader(holds: (name: string) => boolean, plan: Plan): Reader<ResponsesEvent> {
  const reads = orderedReads<ResponsesEvent>();
  const held = new Map<number, HeldItem>();
  const searchName = ownTool(plan, 'search')?.name;
  let lastIndex = -1;
  let ending: string | undefined;

  return {
    read(event): readonly Read<ResponsesEvent>[] {
      if (CLOSINGS.has(event.type)) {
        ending = event.type;
        return [{ kind: 'close', part: event }];
      }
      const { output_index: index, item } = event;
      const passed: Read<ResponsesEvent>[] = [];
      if (index !== undefined && event.type === 'response.output_item.added' && item !== undefined) {
        lastIndex = index;
        const name = heldName(item, holds, searchName);
        if (name !== undefined) {
          held.set(index, { name, item, isDone: false, place: reads.reserve() });
          return reads.take();
        }
        const waits = WAITING.has(item.type ?? '') || (isSearchCall(item) && item.execution === 'client');
        if (waits) passed.push({ kind: 'passed', name: nameOf(item) });
      }
      const open = index === undefined ? undefined : held.get(index);
      if (open === undefined) {
        reads.add({ kind: 'forward', part: event });
        return [...passed, ...reads.take()];
      }
      if (event.type === 'response.output_item.done' && item !== undefined) {
        open.item = item;
        open.isDone = item.status !== 'incomplete';
      }
      return [];
    },
    end() {
      for (const [outputIndex, { name, item, isDone, place }] of held) {
        const parsed = argumentsIn(item);
        // Only the last item can be cut: the model continued after the others.
        const isWritten = parsed !== undefined || ending === 'response.completed' || outputIndex !== lastIndex;
        if (!isDone || ending === 'response.failed' || !isWritten) {
          place.fill({ kind: 'cut', name });
          continue;
        }
        const call: HeldItemCall = { id: idOf(item), name, arguments: parsed ?? item.arguments, item, outputIndex };
        place.fill({ kind: 'held', call });
      }
      return reads.take();
    },
  };
}

interface HeldItem {
  readonly name: string;
  readonly place: Place<ResponsesEvent>;
  item: ResponsesItem;
  isDone: boolean;
}

function heldName(
  item: ResponsesItem,
  holds: (name: string) => boolean,
  searchName: string | undefined,
): string | undefined {
  // A search that the provider runs is its own business; ours has no name in it.
  if (isSearchCall(item)) return item.execution === 'client' ? searchName : undefined;
  if (!isCall(item)) return undefined;
  return item.namespace === undefined && holds(item.name) ? item.name : undefined;
}

function argumentsIn(item: ResponsesItem): unknown {
  if (item.type === 'custom_tool_call') return { input: typeof item.input === 'string' ? item.input : '' };
  return parseArguments(item.arguments);
}

function idOf(item: ResponsesItem): string {
  if (typeof item.call_id === 'string' && item.call_id !== '') return item.call_id;
  return typeof item.id === 'string' ? item.id : 'call_0';
}

function nameOf(item: ResponsesItem): string {
  return typeof item.name === 'string' ? item.name : (item.type ?? '');
}
