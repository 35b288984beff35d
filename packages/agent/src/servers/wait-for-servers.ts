import type { Toolbox } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import type { CallContext, Step } from '@quartermaster/core/dispatch';
import type { AgentServers } from './start-servers.ts';

/**
 * A toolbox that waits for servers which are still starting, but only if it has no answer without them: a search that finds nothing,
 * an unknown name. A server that hangs blocks no other.
 */
export function waitForServers(
  toolbox: Toolbox,
  servers: Pick<AgentServers, 'isStarting' | 'settle' | 'snapshot'>,
): Toolbox {
  const isMissing = ({ call }: CallContext): boolean => {
    const { name: bridged } = isJsonObject(call.arguments) ? call.arguments : {};
    const names = [call.name, ...(typeof bridged === 'string' ? [bridged] : [])];
    return names.every((name) => servers.snapshot().resolve(name) === undefined);
  };
  return {
    ...toolbox,
    async handle(context) {
      const before = servers.snapshot();
      const step = await toolbox.handle(context);
      if (!isFruitless(step)) return step;
      if (servers.isStarting()) await servers.settle(context.signal);
      return servers.snapshot() === before ? step : toolbox.handle(context);
    },
    async answer(context) {
      if (servers.isStarting() && isMissing(context)) await servers.settle(context.signal);
      return toolbox.answer(context);
    },
  };
}

function isFruitless(step: Step): boolean {
  return (
    step.kind === 'answer' && (step.found === undefined || !('names' in step.found) || step.found.names.length === 0)
  );
}
