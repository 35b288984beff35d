import { defined } from '../catalog/internal.ts';
import { type Found, type Memory, remember } from '../disclosure/index.ts';
import type { Resolved, ToolOutcome } from './call.ts';
import type { Answered, CallContext, Toolbox } from './toolbox.ts';

/** One call from the model to the text that answers it, for your own loop. Several wrapped calls run in parallel. */
export async function answerCall(toolbox: Toolbox, callContext: CallContext): Promise<Answered> {
  const step = await toolbox.handle(callContext);
  if (step.kind === 'answer') {
    const memory = step.found === undefined ? callContext.memory : rememberFound(callContext.memory, step.found);
    return { text: step.text, isError: step.isError ?? false, memory, outcomes: [] };
  }
  const { caller, signal } = callContext;
  const options = { ...defined({ caller, signal }) };
  const outcomes = await Promise.all(step.calls.map((call) => toolbox.execute(call, options)));
  const memory = step.calls.reduce(
    (known, call) => remember(known, { kind: 'called', name: call.name }),
    callContext.memory,
  );
  return {
    text: textOf(step.calls, outcomes),
    isError: outcomes.every((outcome) => outcome.isError),
    memory,
    outcomes,
  };
}

/** What an answer adds to the memory. `atMs` is when, on a surface that forgets searches after a while. */
export function rememberFound(memory: Memory, found: Found, atMs?: number): Memory {
  const when = atMs === undefined ? {} : { atMs };
  switch (found.kind) {
    case 'search': {
      if (found.isRefused === true) return memory;
      const limit = found.limit === undefined ? {} : { limit: found.limit };
      return remember(memory, { kind: 'searched', queries: found.queries, names: found.names, ...limit, ...when });
    }
    case 'describe':
      return remember(memory, { kind: 'revealed', names: found.names });
    case 'failure':
      return remember(memory, { kind: 'searched', queries: found.queries, names: [], ...when });
  }
}

function textOf(calls: readonly Resolved[], outcomes: readonly ToolOutcome[]): string {
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) return only.text;
  const results = outcomes.map((outcome, index) => ({
    name: calls[index]?.name,
    ...(outcome.isError ? { error: outcome.text } : { result: outcome.text }),
  }));
  return JSON.stringify({ results });
}
