import type { Tool } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { Call, Caller, Resolved, Step, Toolbox, ToolOutcome } from '../dispatch/index.ts';

export interface LocalCallsOptions {
  readonly toolbox: Toolbox;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly isLocal: (tool: Tool) => boolean;
  /** @default the toolbox's own */
  readonly execute?: ((resolved: Resolved, signal: AbortSignal) => Promise<ToolOutcome>) | undefined;
}

/** The calls of one response that are executed inside the loop, because its client never declared their tools. */
export interface LocalCalls {
  /** Whether the model means such a tool by this name. */
  isName(name: string): boolean;
  /** A round begins. */
  begin(): LocalRound;
}

export interface LocalRound {
  /**
   * The step of a call after its execution, if it is executed here. Calls that the client does not see run at the end of the
   * round, and only if the client has no call to answer: such a call ends the turn, the result would be lost, and the model
   * would make the call again. The model repeats a call that did not run once it has the client's result.
   */
  settle(step: Promise<Step>, call: { readonly isShown: boolean }): Promise<Step>;
  /** The round was read to its end. */
  end(hasClientCalls: boolean): void;
}

export function localCalls(options: LocalCallsOptions): LocalCalls {
  const { toolbox, caller, signal, isLocal } = options;
  const execute = options.execute ?? ((resolved: Resolved) => toolbox.execute(resolved, { caller, signal }));
  return {
    isName(name) {
      const tool = toolbox.snapshot().resolve(name);
      return tool !== undefined && isLocal(tool) && (caller.allow?.(tool) ?? true);
    },
    begin() {
      let end: (hasClientCalls: boolean) => void = () => undefined;
      const ended = new Promise<boolean>((resolve) => {
        end = resolve;
      });
      const all: Promise<Step>[] = [];
      const isForClient = (step: Step): boolean =>
        step.kind === 'calls' && !step.calls.some((call) => isLocal(call.tool));
      return {
        end,
        async settle(pending, { isShown }) {
          all.push(pending);
          const step = await pending;
          if (step.kind === 'answer' || isForClient(step)) return step;
          const { call, calls } = step;
          if (!calls.every((one) => isLocal(one.tool))) return refusal(call, MIXED);
          const isPostponed = !isShown && ((await ended) || (await Promise.all(all)).some(isForClient));
          if (isPostponed) return refusal(call, POSTPONED);
          return answer(call, calls, await Promise.all(calls.map((one) => execute(one, signal))));
        },
      };
    },
  };
}

function answer(call: Call, calls: readonly Resolved[], outcomes: readonly ToolOutcome[]): Step {
  const [only] = outcomes;
  if (outcomes.length === 1 && only !== undefined) {
    const { text, value, isError } = only;
    return { kind: 'answer', call, text, isError, ...defined({ value }) };
  }
  const results = outcomes.map(({ text }, index) => ({ name: calls[index]?.name, result: text }));
  return {
    ...{ kind: 'answer', call, text: JSON.stringify({ results }) },
    isError: outcomes.every((outcome) => outcome.isError),
  };
}

function refusal(call: Call, text: string): Step {
  return { kind: 'answer', call, text, isError: true };
}

const MIXED = 'Nothing was called. These tools run in different places: call them one by one.';
const POSTPONED = 'Not called yet. Call it again.';
