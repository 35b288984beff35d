import type { JsonObject, Snapshot } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { OptionNames } from '../check-option-names.ts';
import {
  createToolbox,
  type HookContext,
  type Resolved,
  readDefinitions,
  type Toolbox,
  type ToolboxOptions,
} from '../dispatch/index.ts';
import { SettingError } from '../errors.ts';

/** A definition in any known format, with the function that runs it. */
export interface RunnableTool {
  /** What it returns goes to the model: a string as it is, an MCP result by its text, anything else as JSON. */
  execute?(input: JsonObject, context: HookContext & { readonly call: Resolved }): unknown;
  readonly [field: string]: unknown;
}

/** The tools of a run: definitions with their functions, a snapshot, or a toolbox that other runs share. */
export type ToolsForRun = readonly (RunnableTool | object)[] | Snapshot | Toolbox;

/** Settings of a toolbox that a run accepts. */
export interface ToolSettings
  extends Pick<
    ToolboxOptions,
    'searcher' | 'engine' | 'settings' | 'form' | 'countTokens' | 'checkArguments' | 'hooks' | 'guard' | 'budget'
  > {
  /** Runs the tools without an `execute`. */
  readonly execute?: ToolboxOptions['execute'];
}

export const TOOL_SETTINGS: OptionNames<ToolSettings> = {
  execute: true,
  searcher: true,
  engine: true,
  settings: true,
  form: true,
  countTokens: true,
  checkArguments: true,
  hooks: true,
  guard: true,
  budget: true,
};

/** The toolbox of a run. A setting that a given toolbox would not see is an error, and so is a tool that nothing executes. */
export function toolboxFor(options: ToolSettings & { readonly tools: ToolsForRun }): Toolbox {
  const { tools } = options;
  if (isToolbox(tools)) {
    const set = Object.keys(TOOL_SETTINGS).filter((name) => options[name as keyof ToolSettings] !== undefined);
    if (set.length === 0) return tools;
    throw invalid(`tools is a toolbox, which has settings of its own: pass ${set.join(', ')} to createToolbox`);
  }
  const { searcher, engine, settings, form, countTokens, checkArguments, hooks, guard, budget } = options;
  const rest = { searcher, engine, settings, form, countTokens, checkArguments, hooks, guard, budget };
  const given = defined(rest);
  if (!isList(tools)) {
    if (options.execute === undefined) throw invalid('execute is missing: nothing runs the tools of the snapshot');
    return createToolbox({ tools, execute: options.execute, ...given });
  }
  const runners = new Map<string, RunnableTool['execute']>();
  const read = tools.flatMap((definition) => {
    const { execute, ...bare } = definition as RunnableTool;
    const found = readDefinitions([bare]);
    for (const tool of found) runners.set(tool.id, typeof execute === 'function' ? execute : undefined);
    return found;
  });
  const idle = read.filter((tool) => runners.get(tool.id) === undefined);
  if (options.execute === undefined && idle.length > 0) {
    const names = idle.slice(0, 5).map((tool) => tool.name);
    const more = idle.length > names.length ? ` and ${idle.length - names.length} more` : '';
    throw invalid(
      `No execute function for ${names.join(', ')}${more}: give each tool an execute function, or pass execute`,
    );
  }
  return createToolbox({
    tools: read,
    execute: (call, context) =>
      (runners.get(call.tool.id) ?? inAll(options.execute))(call.arguments, { ...context, call }),
    ...given,
  });
}

/** The function for all tools, called like that of one. */
function inAll(execute: ToolSettings['execute']): NonNullable<RunnableTool['execute']> {
  return (_input, { call, ...context }) => execute?.(call, context);
}

function isToolbox(tools: ToolsForRun): tools is Toolbox {
  return typeof tools === 'object' && tools !== null && 'answer' in tools && 'plan' in tools;
}

function isList(tools: Snapshot | Toolbox | readonly object[]): tools is readonly object[] {
  return Array.isArray(tools);
}

function invalid(message: string): SettingError {
  return new SettingError('invalid_setting', message, { context: { setting: 'tools' } });
}
