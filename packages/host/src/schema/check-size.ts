import type { Subject } from './evaluator.ts';
import type { Verdict } from './verdict.ts';

/** `minLength` and `maxLength`, or the same for items or properties. */
export function checkSize(
  { schema, place }: Subject,
  { noun, actual }: { readonly noun: 'Length' | 'Items' | 'Properties'; readonly actual: number },
  verdict: Verdict,
): void {
  const [least, most] = [`min${noun}`, `max${noun}`] as const;
  const { [least]: minimum, [most]: maximum } = schema;
  if (typeof minimum === 'number' && actual < minimum) {
    verdict.fail({ kind: 'bound', place, bound: least, limit: minimum, actual });
  }
  if (typeof maximum === 'number' && actual > maximum) {
    verdict.fail({ kind: 'bound', place, bound: most, limit: maximum, actual });
  }
}
