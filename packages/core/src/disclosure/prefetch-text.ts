import type { Snapshot } from '../catalog/index.ts';
import { firstSentence } from './first-sentence.ts';
import type { DeferPlan } from './plan.ts';
import { signature } from './signature.ts';

const SENTENCE_LENGTH = 100;

/**
 * The tools that a prefetch found, for the tail of the user's message. With signatures, so that the first turn often needs no
 * search; a protocol that reveals natively needs the search still, and gets the names for it.
 */
export function prefetchText(plan: DeferPlan, snapshot: Snapshot, names: readonly string[]): string | undefined {
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
