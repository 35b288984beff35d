import { createSnapshot, parseTools, type Snapshot, type Tool } from '../catalog/index.ts';
import { readChoice } from '../check-option-names.ts';
import {
  type DeferPlan,
  FORMS,
  type Form,
  type FormName,
  type Plan,
  type PlanEngine,
  tell,
} from '../disclosure/index.ts';
import { SettingError } from '../errors.ts';
import { DEFAULT_GATE_SETTINGS, estimateTokens, type GateSettings, type TokenCounter } from '../gate/index.ts';
import type { Caller } from './call.ts';
import type { ToolboxEvent } from './events.ts';
import { type SearchersFor, searchersFor } from './search/index.ts';
import type { TellOptions } from './toolbox.ts';
import { checkToolboxOptions, TOOLBOX_OPTIONS, type ToolboxOptions } from './toolbox-options.ts';

/** A toolbox's options with every default filled in, shared by its parts. */
export interface ToolboxContext {
  readonly options: ToolboxOptions;
  readonly snapshot: () => Snapshot;
  readonly searchers: SearchersFor;
  readonly settings: GateSettings;
  readonly form: Form;
  readonly engine: PlanEngine;
  readonly countTokens: TokenCounter;
  readonly now: () => number;
  readonly emit: (event: ToolboxEvent) => void;
}

export function toolboxContext(options: ToolboxOptions): ToolboxContext {
  checkToolboxOptions(options, { owner: 'createToolbox', allowed: TOOLBOX_OPTIONS });
  const now = options.now ?? Date.now;
  const form = options.form ?? 'bridge';
  return {
    options,
    snapshot: currentSnapshot(options.tools),
    searchers: searchersFor(options),
    settings: options.settings ?? DEFAULT_GATE_SETTINGS,
    form: readForm(form),
    engine: options.engine ?? 'text',
    countTokens: options.countTokens ?? estimateTokens,
    now,
    emit: options.onEvent ?? (() => undefined),
  };
}

/** By name, or made of the four choices. */
export function readForm(form: NonNullable<ToolboxOptions['form']>): Form {
  return typeof form === 'object' && form !== null ? form : FORMS[readChoice('form', form, FORM_NAMES)];
}

const FORM_NAMES = Object.keys(FORMS) as readonly FormName[];

/** What a search may return: what is deferred, in the caller's scope, and known to us. */
export function searchScope(
  context: ToolboxContext,
  scope: { readonly plan: DeferPlan; readonly snapshot: Snapshot; readonly caller: Caller },
): (tool: Tool) => boolean {
  const { plan, snapshot, caller } = scope;
  return (tool) =>
    isDeferred(plan, snapshot, tool) &&
    (caller.allow?.(tool) ?? true) &&
    (context.options.isSearchable?.(tool) ?? true);
}

/** A tool that came after the plan was made is in no list, and therefore deferred. */
export function isDeferred(plan: Plan, snapshot: Snapshot, tool: Tool): boolean {
  if (plan.kind === 'inline') return false;
  return plan.deferred.has(snapshot.modelName(tool)) || plan.snapshot.get(tool.id) === undefined;
}

function currentSnapshot(tools: ToolboxOptions['tools']): () => Snapshot {
  if (typeof tools === 'function') return tools;
  if (typeof tools !== 'object' || tools === null) {
    throw new SettingError(
      'invalid_setting',
      `tools is ${String(tools)}; give a list of definitions, a snapshot, or a function that returns one`,
      {
        context: { setting: 'tools' },
      },
    );
  }
  const snapshot = isList(tools) ? createSnapshot(readDefinitions(tools)) : tools;
  return () => snapshot;
}

function isList(tools: Snapshot | readonly object[]): tools is readonly object[] {
  return Array.isArray(tools);
}

/** An answer's text with the toolbox's own limits. There is nothing to tell where nothing is deferred. */
export function tellFound(context: ToolboxContext, tellOptions: TellOptions): string {
  const { plan, found, before, caller } = tellOptions;
  if (plan.kind === 'inline') return '';
  const { guard, budget, findings } = context.options;
  return tell({ plan, snapshot: context.snapshot(), found, before, guard, budget, findings, allow: caller?.allow });
}

/** Tools as they are, or out of definitions in any known format. One that can't be read is an error: a tool must not go missing in silence. */
export function readDefinitions(list: readonly object[]): readonly Tool[] {
  return list.every(isTool) ? list : parseTools(list, { onProblem: 'throw' }).tools;
}

function isTool(value: object): value is Tool {
  return 'id' in value && 'policy' in value && 'extras' in value && 'schema' in value;
}
