import { compileGlob, type Glob, type Snapshot, type Tool } from '../catalog/index.ts';
import { anthropicDefinedTool } from '../catalog/internal.ts';
import { runToEnd, visitInSteps } from '../slices.ts';
import type { ModelLimits } from './context-window.ts';
import { estimateTokens, snapshotTokensInSteps, type TokenCounter } from './estimate-tokens.ts';
import type { GateRule, GateSettings } from './gate-settings.ts';

/** The input of the gate. */
export interface GateQuestion {
  readonly snapshot: Snapshot;
  readonly settings: GateSettings;
  readonly limits: ModelLimits;
  /** @default characters / 4 */
  readonly countTokens?: TokenCounter;
  /** What the caller may see; other tools count as missing. */
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

/** Whether deferral is worth it now, and why. */
export type GateDecision =
  | { readonly kind: 'inline'; readonly reason: string; readonly figures: GateFigures }
  | {
      readonly kind: 'defer';
      /** Ids. Never empty. */
      readonly deferred: ReadonlySet<string>;
      readonly reason: string;
      readonly figures: GateFigures;
    };

/** The sizes behind the decision, in tokens unless said otherwise. */
export interface GateFigures {
  /** How many tools the caller may see. */
  readonly tools: number;
  readonly total: number;
  /** Of tools that could be deferred: neither `never` nor pinned nor provider-defined. */
  readonly deferrable: number;
  readonly deferred: number;
  readonly contextTokens: number;
}

/**
 * Decides for one request, from its catalog only. A tool that is `never`, pinned, or provider-defined (it has no
 * schema that could be sent later, unless that is known) is in no set from which it could be left out.
 */
export function decideGate(question: GateQuestion): GateDecision {
  return runToEnd(decideGateInSteps(question));
}

/** The same with a yield after some tools each, for catalogs so large that others would wait. */
export function* decideGateInSteps(question: GateQuestion): Generator<void, GateDecision> {
  const { snapshot, settings, limits, allow } = question;
  const { byTool: costs } = yield* snapshotTokensInSteps(snapshot, question.countTokens ?? estimateTokens);
  const sums = { tools: 0, total: 0, deferrable: 0, always: 0 };
  const deferrable: Tool[] = [];
  const pins = settings.pins.map(compileGlob);
  yield* visitInSteps(snapshot.tools, (tool) => {
    if (allow !== undefined && !allow(tool)) return;
    const cost = costs.get(tool) ?? 0;
    sums.tools += 1;
    sums.total += cost;
    if (!isDeferrable(tool, snapshot, pins)) return;
    deferrable.push(tool);
    sums.deferrable += cost;
    if (tool.policy === 'always') sums.always += cost;
  });

  const verdict = judge(settings.rule, { ...sums, count: deferrable.length, limits });
  const chosen = new Set<string>();
  yield* visitInSteps(deferrable, ({ id, policy }) => {
    if (verdict.kind === 'all' || (verdict.kind === 'always' && policy === 'always')) chosen.add(id);
  });
  const { always, ...sizes } = sums;
  const deferred = verdict.kind === 'all' ? sums.deferrable : always;
  const figures = { ...sizes, contextTokens: limits.contextTokens };
  if (chosen.size === 0) return { kind: 'inline', reason: verdict.reason, figures: { ...figures, deferred: 0 } };
  const reason =
    verdict.kind === 'all'
      ? verdict.reason
      : `${verdict.reason}; ${chosen.size} ${chosen.size === 1 ? 'tool is' : 'tools are'} always deferred by policy`;
  return { kind: 'defer', deferred: chosen, reason, figures: { ...figures, deferred } };
}

function isDeferrable(tool: Tool, snapshot: Snapshot, pins: readonly Glob[]): boolean {
  if (tool.policy === 'never' || isOpaque(tool)) return false;
  if (pins.length === 0) return true;
  const names = [tool.id, tool.name, snapshot.modelName(tool)];
  return !pins.some((pin) => names.some((name) => pin.matches(name)));
}

/** A provider's tool with unknown parameters; one with known parameters is deferred if it is marked. */
function isOpaque({ extras, policy }: Tool): boolean {
  const { providerType } = extras;
  return providerType !== undefined && (policy !== 'always' || anthropicDefinedTool(providerType) === undefined);
}

interface Verdict {
  /** `always`: only tools whose policy says so. `nothing`: search is off. */
  readonly kind: 'all' | 'always' | 'nothing';
  readonly reason: string;
}

interface Sizes {
  readonly tools: number;
  readonly deferrable: number;
  readonly count: number;
  readonly limits: ModelLimits;
}

function judge(rule: GateRule, sizes: Sizes): Verdict {
  if (rule.kind !== 'off' && sizes.count === 0) return { kind: 'nothing', reason: 'No tool can be deferred' };
  switch (rule.kind) {
    case 'off':
      return { kind: 'nothing', reason: 'Tool search is off' };
    case 'on':
      return { kind: 'all', reason: 'Tool search is on' };
    case 'count': {
      const isReached = sizes.tools >= rule.tools;
      const subject = sizes.tools === 1 ? '1 tool is' : `${sizes.tools.toLocaleString('en-US')} tools are`;
      const text = `${subject} ${isReached ? 'at or above' : 'below'} the threshold of ${rule.tools.toLocaleString('en-US')}`;
      return { kind: isReached ? 'all' : 'always', reason: text };
    }
    case 'share':
      return judgeShare(rule, sizes);
  }
}

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

function judgeShare(rule: GateRule & { kind: 'share' }, sizes: Sizes): Verdict {
  const { contextTokens, source } = sizes.limits;
  // Compared as products, so that rounding decides nothing at the boundary.
  const left = sizes.deferrable * 100;
  const right = rule.percent * contextTokens;
  const isReached = rule.comparison === 'exceeds' ? left > right : left >= right;
  const share = ((sizes.deferrable / contextTokens) * 100).toLocaleString('en-US', ONE_DIGIT);
  const bound = rule.comparison === 'exceeds' ? `more than ${rule.percent}%` : `at least ${rule.percent}%`;
  const from = source === 'override' ? '' : ` (window from ${WINDOW_SOURCES[source]})`;
  const [size, window] = [sizes.deferrable, contextTokens].map((tokens) => tokens.toLocaleString('en-US'));
  const reason = `The deferrable definitions take about ${size} tokens, ${share}% of the context window of ${window}${from}; tools are deferred if they take ${bound}`;
  return { kind: isReached ? 'all' : 'always', reason };
}

const WINDOW_SOURCES = { upstream: 'the model list', table: 'the table of known models', default: 'the default' };
