import { EMPTY_MEMORY, type Memory } from '../disclosure/index.ts';
import { sampleSnapshot } from '../disclosure/sample-tools.fixture.ts';
import type { GateSettings } from '../gate/index.ts';
import { wordSearcher } from '../testing/index.ts';
import { createToolbox } from './create-toolbox.ts';
import type { Caller, Step, Toolbox } from './toolbox.ts';
import type { ToolboxOptions } from './toolbox-options.ts';

const ON: GateSettings = { rule: { kind: 'on' }, search: { defaultLimit: 5, maxLimit: 20 }, pins: [] };

export function boxWith(options: Partial<ToolboxOptions> = {}): Toolbox {
  return createToolbox({ tools: sampleSnapshot(), searcher: wordSearcher, settings: ON, ...options });
}

export interface Ask {
  readonly options?: Partial<ToolboxOptions>;
  readonly memory?: Memory;
  readonly caller?: Caller;
}

export async function handle(name: string, input: unknown, ask: Ask = {}): Promise<Step> {
  const toolbox = boxWith(ask.options);
  const { memory = EMPTY_MEMORY, caller = {} } = ask;
  return toolbox.handle({
    plan: toolbox.plan(undefined, { caller }),
    call: { id: 'c1', name, arguments: input },
    memory,
    caller,
  });
}

export async function textOf(name: string, input: unknown, ask: Ask = {}): Promise<string> {
  const step = await handle(name, input, ask);
  return step.kind === 'answer' ? step.text : `calls ${step.calls.map((call) => call.name).join(', ')}`;
}

/** What is really called, and with what. */
export async function callsOf(name: string, input: unknown, ask: Ask = {}): Promise<readonly unknown[]> {
  const step = await handle(name, input, ask);
  return step.kind === 'calls' ? step.calls.map((call) => [call.name, call.arguments]) : [step.text];
}

export async function namesFound(input: unknown, ask: Ask = {}): Promise<readonly string[]> {
  const step = await handle('tool_search', input, ask);
  return step.kind === 'answer' && step.found?.kind === 'search' ? step.found.names : [];
}
