import type { Snapshot, Tool } from '../catalog/index.ts';
import { readChoice } from '../check-option-names.ts';
import {
  type Form,
  makeDeferPlan,
  makeInlinePlan,
  type Plan,
  type PlanEngine,
  STUB_DEFAULTS,
} from '../disclosure/index.ts';
import { decideGate, type ModelLimits, snapshotTokens } from '../gate/index.ts';
import type { PlanOptions } from './toolbox.ts';
import { readForm, type ToolboxContext } from './toolbox-context.ts';

/** How many plans are kept for one snapshot: forms, windows and scopes times settings, and pins of each key. What was not asked for longest goes first. */
const MOST_PLANS = 256;
/** What they may take together, the latest left out of account: of a large catalog every plan is large. */
const MOST_PLAN_BYTES = 32 * 1024 * 1024;

interface Kept {
  /** Everything that the plan depends on besides the snapshot, values as text. */
  readonly values: string;
  /** Functions, by identity. */
  readonly functions: readonly unknown[];
  readonly plan: Plan;
  readonly bytes: number;
}

/** Lives as long as the snapshot does, and depends on nothing but content: no conversation leaves a trace in it. */
const kept = new WeakMap<Snapshot, Kept[]>();

/** The plan for the catalog as it is now, made once per snapshot and settings: assembling a request must not cost what the catalog costs. */
export function cachedPlan(context: ToolboxContext, limits: ModelLimits, options: PlanOptions): Plan {
  const snapshot = context.snapshot();
  const form = options.form === undefined ? context.form : readForm(options.form);
  const engine =
    options.engine === undefined ? context.engine : readChoice('engine', options.engine, ['text', 'regex']);
  const { listingTokens, stubDescriptionLength = STUB_DEFAULTS.descriptionLength, isSearchable } = context.options;
  const values = JSON.stringify([
    context.settings,
    limits,
    [form.hidden, form.reveal, form.invoke, form.search],
    [engine, options.describe ?? true, options.searchName ?? null, listingTokens ?? null, stubDescriptionLength],
    options.secondSearch ?? null,
    options.searchWhenEmpty ?? false,
    options.rule ?? null,
    options.pins ?? null,
  ]);
  const functions = [context.countTokens, options.caller?.allow, isSearchable];
  const plans = kept.get(snapshot) ?? [];
  kept.set(snapshot, plans);
  const at = plans.findLastIndex((one) => one.values === values && isSame(one.functions, functions));
  const found = plans[at];
  if (found !== undefined) {
    if (at < plans.length - 1) plans.push(...plans.splice(at, 1));
    return found.plan;
  }
  const plan = decide({ context, snapshot, limits, options, form, engine });
  plans.push({ values, functions, plan, bytes: planBytes(plan) });
  while (plans.length > MOST_PLANS || (plans.length > 1 && planBytesOf(snapshot) > MOST_PLAN_BYTES)) plans.shift();
  return plan;
}

/** About how many bytes the plans of a snapshot take. */
export function planBytesOf(snapshot: Snapshot): number {
  return (kept.get(snapshot) ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Definitions are objects of their own, twice, and a third time as a wire writes them; schemas and most texts are the tools'. */
function planBytes(plan: Plan): number {
  const shown = plan.shown.reduce((sum, { as, description }) => sum + (as === 'stub' ? description.length : 0), 0);
  const deferred = plan.kind === 'defer' ? plan.deferred.size : 0;
  return 4096 + plan.shown.length * 512 + shown + deferred * 48 + (plan.note?.length ?? 0) * 2;
}

function decide(question: {
  context: ToolboxContext;
  snapshot: Snapshot;
  limits: ModelLimits;
  options: PlanOptions;
  form: Form;
  engine: PlanEngine;
}): Plan {
  const { context, snapshot, limits, options, form, engine } = question;
  const { countTokens } = context;
  const isOff = context.settings.rule.kind === 'off';
  const { rule = context.settings.rule, pins = [] } = options;
  const settings = {
    ...context.settings,
    rule: isOff ? context.settings.rule : rule,
    pins: [...context.settings.pins, ...pins],
  };
  const allow = options.caller?.allow;
  const decision = decideGate({ snapshot, settings, limits, countTokens, allow });
  const costs = snapshotTokens(snapshot, countTokens).byTool;
  const common = {
    snapshot,
    tools: allow === undefined ? snapshot.tools : snapshot.tools.filter(allow),
    reason: decision.reason,
    toolTokens: (tool: Tool): number => costs.get(tool) ?? 0,
  };
  const isEmpty = common.tools.length === 0 && options.searchWhenEmpty === true && !isOff;
  if (decision.kind === 'inline' && !isEmpty) return makeInlinePlan(common);
  const { listingTokens, stubDescriptionLength, isSearchable } = context.options;
  const plan = makeDeferPlan({
    ...common,
    form,
    deferred: decision.kind === 'inline' ? new Set<string>() : decision.deferred,
    countTokens,
    engine,
    describe: options.describe,
    searchName: options.searchName,
    secondSearch: options.secondSearch,
    listingTokens,
    stubDescriptionLength,
    isSearchable,
  });
  if (plan.deferred.size > 0 || isEmpty) return plan;
  return makeInlinePlan({ ...common, reason: `${decision.reason}; but none of these tools can be searched for` });
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.every((value, index) => value === right[index]);
}
