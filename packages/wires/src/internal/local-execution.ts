import type { Tool, Toolbox } from '@quartermaster/core';
import type { Caller, Step } from '@quartermaster/core/dispatch';
import { defined } from '@quartermaster/core/internal';
import type { Read, Reader, Wire } from '@quartermaster/core/loop';

interface Stages<Request, Part> {
  readonly toolbox: Toolbox;
  readonly wire: Wire<Request, Part>;
}

/**
 * A toolbox and a wire for one request whose own tools are executed here, inside the loop, instead of being handed to the
 * client: it never declared them, and could not answer. `isLocal` says which those are.
 *
 * In a round in which the client has a call to answer as well, nothing is executed: the turn ends there, the result would be
 * lost, and the model would make the call a second time. It makes it again once it has the client's result. The wire must
 * hand over held calls at the end of a round, when it is known what else the round brought.
 */
export function withLocalExecution<Request, Part>(
  { toolbox, wire }: Stages<Request, Part>,
  isLocal: (tool: Tool) => boolean,
): Stages<Request, Part> {
  let hasClientCalls = false;
  const isLocalName = (name: string, caller: Caller = {}): boolean => {
    const tool = toolbox.snapshot().resolve(name);
    return tool !== undefined && isLocal(tool) && (caller.allow?.(tool) ?? true);
  };
  return {
    wire: {
      ...wire,
      reader(holds, plan) {
        hasClientCalls = false;
        return watched(wire.reader(holds, plan), (read) => {
          hasClientCalls ||= read.kind === 'passed';
        });
      },
    },
    toolbox: {
      ...toolbox,
      holds(plan, memory, extra) {
        const holds = toolbox.holds(plan, memory, extra);
        return (name) => holds(name) || isLocalName(name, extra?.caller);
      },
      async handle(handling): Promise<Step> {
        const step = await toolbox.handle(handling);
        if (step.kind === 'answer' || !step.calls.some((call) => isLocal(call.tool))) return step;
        const { call } = step;
        if (!step.calls.every((one) => isLocal(one.tool))) return { kind: 'answer', call, text: MIXED, isError: true };
        if (hasClientCalls) return { kind: 'answer', call, text: POSTPONED, isError: true };
        return execute(toolbox, step, handling);
      },
    },
  };
}

async function execute(
  toolbox: Toolbox,
  step: Step & { readonly kind: 'calls' },
  { caller, signal }: Parameters<Toolbox['handle']>[0],
): Promise<Step> {
  const options = { ...defined({ caller, signal }) };
  const outcomes = await Promise.all(step.calls.map((call) => toolbox.execute(call, options)));
  const [only] = outcomes;
  const results = outcomes.map(({ text }, index) => ({ name: step.calls[index]?.name, result: text }));
  const text = outcomes.length === 1 && only !== undefined ? only.text : JSON.stringify({ results });
  return { kind: 'answer', call: step.call, text, isError: outcomes.every((outcome) => outcome.isError) };
}

function watched<Part>(reader: Reader<Part>, see: (read: Read<Part>) => void): Reader<Part> {
  const watch = (reads: readonly Read<Part>[]): readonly Read<Part>[] => {
    for (const read of reads) see(read);
    return reads;
  };
  return { read: (part) => watch(reader.read(part)), end: () => watch(reader.end()) };
}

const MIXED = 'Nothing was called. These tools run in different places: call them one by one.';
const POSTPONED = 'Not called yet. Call it again.';
