import type { Snapshot, Tool } from '../../catalog/index.ts';
import type { Memory } from '../memory.ts';
import { firstSentence, oneLine, signature } from '../text/index.ts';
import { showFull } from './make-plan.ts';
import type { DeferPlan, Plan, Shown, View } from './plan.ts';

export interface ViewQuestion {
  readonly plan: Plan;
  readonly memory: Memory;
  /** The catalog as it is now, which may be newer than the plan's. */
  readonly snapshot: Snapshot;
  /** Names that a prefetch came up with. */
  readonly prefetched?: readonly string[];
  readonly allow?: ((tool: Tool) => boolean) | undefined;
}

/** What is sent this time. Costs what the conversation has revealed, not what the catalog holds. */
export function makeView(question: ViewQuestion): View {
  const { plan, memory, snapshot } = question;
  if (plan.kind === 'inline') return { plan, revealed: [] };
  const prefetched = question.prefetched ?? [];
  const names = plan.form.reveal === 'append' ? [...memory.known, ...prefetched] : memory.known;
  const revealed = reveal(names, { ...question, plan });
  const tail = [
    plan.form.reveal === 'append' ? undefined : prefetchText(plan, snapshot, prefetched),
    snapshot === plan.snapshot ? undefined : catalogChanges(plan.snapshot, snapshot, question.allow),
  ].filter((text) => text !== undefined);
  return { plan, revealed, ...(tail.length === 0 ? {} : { tail: tail.join('\n') }) };
}

/**
 * Called tools stay revealed though the search that found them was compacted away: many providers refuse a history with
 * calls to tools that are not declared. Names that the catalog no longer holds are left out.
 */
function reveal(names: readonly string[], question: ViewQuestion & { readonly plan: DeferPlan }): readonly Shown[] {
  const { plan, snapshot, allow } = question;
  const byTool = new Map<Tool, Shown>();
  for (const name of names) {
    const tool = snapshot.resolve(name);
    if (tool === undefined || byTool.has(tool) || (allow !== undefined && !allow(tool))) continue;
    const shown = showFull(snapshot, tool);
    const isNew = plan.snapshot.resolve(shown.name) === undefined;
    if (isNew || plan.deferred.has(shown.name)) byTool.set(tool, shown);
  }
  return [...byTool.values()];
}

const SENTENCE_LENGTH = 100;

/**
 * The tools that a prefetch found, for the tail of the user's message. With signatures, so that the first turn often needs no
 * search; a protocol that reveals natively needs the search still, and gets the names for it.
 */
function prefetchText(plan: DeferPlan, snapshot: Snapshot, names: readonly string[]): string | undefined {
  const lines = names.flatMap((name) => {
    const tool = snapshot.resolve(name);
    if (tool === undefined) return [];
    const about = firstSentence(tool.description, SENTENCE_LENGTH);
    const parameters = plan.form.reveal === 'native' ? '' : signature(tool.schema);
    return [`- ${name}${parameters}${about === '' ? '' : `: ${about}`}`];
  });
  if (lines.length === 0) return undefined;
  return `[Tools that may fit this message, ${how(plan)}. Search for others.]\n${lines.join('\n')}`;
}

function how(plan: DeferPlan): string {
  const named = (role: string): string => plan.own.find((tool) => tool.role === role)?.name ?? 'search';
  if (plan.form.invoke === 'wrapped') return `callable with ${named('call')}`;
  return plan.form.reveal === 'native' ? `to be loaded with ${named('search')}` : 'callable by name';
}

const MOST_NAMED = 8;
const SERVER_NAME_LENGTH = 60;

/**
 * What came and went since the plan was made, in a line for the tail: servers that connect late are told there, because
 * rewriting the listing would rewrite the prefix. Nothing when the tools are the same.
 */
function catalogChanges(
  before: Snapshot,
  after: Snapshot,
  allow: (tool: Tool) => boolean = () => true,
): string | undefined {
  const changes = compare(before, after);
  const added = changes.added.filter(allow);
  const removed = changes.removed.filter(allow);
  const parts = [
    ...(added.length > 0 ? [`New tools can be searched for: ${summary(added, after)}.`] : []),
    ...(removed.length > 0 ? [`No longer available: ${summary(removed, before)}.`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

interface Changes {
  readonly added: readonly Tool[];
  readonly removed: readonly Tool[];
}

const compared = new WeakMap<Snapshot, WeakMap<Snapshot, Changes>>();

/** Once per pair: every round of a session asks again. */
function compare(before: Snapshot, after: Snapshot): Changes {
  const known = compared.get(before) ?? new WeakMap<Snapshot, Changes>();
  compared.set(before, known);
  const changes = known.get(after) ?? {
    added: after.tools.filter((tool) => before.get(tool.id) === undefined),
    removed: before.tools.filter((tool) => after.get(tool.id) === undefined),
  };
  known.set(after, changes);
  return changes;
}

/** By server with counts; tools without a server by name. */
function summary(tools: readonly Tool[], snapshot: Snapshot): string {
  const counts = new Map<string, number>();
  const names: string[] = [];
  for (const tool of tools) {
    if (tool.server === undefined) names.push(snapshot.modelName(tool));
    else counts.set(tool.server, (counts.get(tool.server) ?? 0) + 1);
  }
  const all = [...[...counts].map(([server, count]) => `${oneLine(server, SERVER_NAME_LENGTH)} (${count})`), ...names];
  const rest = all.length - MOST_NAMED;
  return `${all.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
