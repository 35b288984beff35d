import type { InsightCell } from '@quartermaster/host/store';

/** How well a model uses tools that it is not shown, in one form. */
export interface ModelReach {
  readonly model: string;
  readonly form: string;
  /** Responses with deferred tools. */
  readonly deferred: number;
  /** Those whose conversation has searched, called a tool without searching, or done neither so far. */
  readonly searched: number;
  readonly called: number;
  readonly neither: number;
  /** Whether most conversations never search. Only stated for enough responses. */
  readonly isPoor: boolean;
  readonly advice?: string;
}

/** Fewer responses say nothing about a model. */
const ENOUGH = 20;

/** At this share of conversations without a search or a call, the model does not reach its tools. */
const POOR_SHARE = 0.5;

/** Whether these counts show that a model does not search. */
export function isPoorReach({ deferred, neither }: Pick<ModelReach, 'deferred' | 'neither'>): boolean {
  return deferred >= ENOUGH && neither / deferred > POOR_SHARE;
}

/** By model and form, the most used first. */
export function describeReach(cells: readonly InsightCell[]): readonly ModelReach[] {
  const groups = new Map<string, { model: string; form: string; searched: number; called: number; neither: number }>();
  for (const { model, form, searched, called, neither } of cells) {
    if (searched + called + neither === 0) continue;
    const key = `${model}\n${form}`;
    const group = groups.get(key) ?? { model, form, searched: 0, called: 0, neither: 0 };
    group.searched += searched;
    group.called += called;
    group.neither += neither;
    groups.set(key, group);
  }
  return [...groups.values()]
    .map((group) => {
      const deferred = group.searched + group.called + group.neither;
      const isPoor = isPoorReach({ deferred, neither: group.neither });
      return {
        ...group,
        deferred,
        isPoor,
        ...(isPoor ? { advice: adviceFor(group.model, deferred, group.neither) } : {}),
      };
    })
    .sort((left, right) => right.deferred - left.deferred);
}

function adviceFor(model: string, deferred: number, neither: number): string {
  const share = Math.round((100 * neither) / deferred);
  return (
    `${model} neither searched nor called a tool in ${share}% of ${deferred} responses. Some of them may not have needed a tool. ` +
    'If they did: deferral: adaptive offers fitting tools before it has to search, tools.pins keeps tools in every request, ' +
    'and tools.listing_tokens names the deferred ones in the prompt.'
  );
}
