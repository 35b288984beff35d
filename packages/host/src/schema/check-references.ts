import { isJsonObject } from '@quartermaster/core/catalog';
import type { Evaluator, Subject } from './evaluator.ts';
import { resolveReference, type Target } from './resolve-reference.ts';
import type { Resource } from './schema-index.ts';
import type { Verdict } from './verdict.ts';

const CHARACTERS_PER_STEP = 8;

/** `$ref`, `$dynamicRef` and 2019's `$recursiveRef`. */
export function checkReferences(subject: Subject, verdict: Verdict, evaluation: Evaluator): void {
  const { $ref, $dynamicRef, $recursiveRef } = subject.schema;
  if (typeof $ref === 'string') follow($ref, resolve($ref));
  if (typeof $dynamicRef === 'string') {
    const target = resolve($dynamicRef);
    const anchor = target?.dynamicAnchor;
    const found =
      anchor === undefined ? target : outermost(subject, target, ({ dynamicAnchors }) => dynamicAnchors.get(anchor));
    follow($dynamicRef, found);
  }
  if ($recursiveRef === '#') {
    const target = { schema: subject.resource.root, resource: subject.resource };
    const isDynamic = subject.resource.root.$recursiveAnchor === true;
    const found = isDynamic
      ? outermost(subject, target, ({ root }) => (root.$recursiveAnchor === true ? root : undefined))
      : target;
    follow('#', found);
  }

  function resolve(reference: string): Target | undefined {
    if (!evaluation.spend(1 + reference.length / CHARACTERS_PER_STEP)) return undefined;
    return resolveReference(evaluation.index, subject.resource, reference);
  }

  function follow(reference: string, target: Target | undefined): void {
    if (target !== undefined && !isEndless(subject, target)) {
      verdict.include(evaluation.follow(target, subject));
      return;
    }
    evaluation.note(target === undefined ? 'reference-not-found' : 'endless-reference', reference);
    verdict.doubt();
  }
}

/** The outermost resource of the dynamic scope that has the anchor. */
function outermost(
  subject: Subject,
  target: Target | undefined,
  find: (resource: Resource) => Target['schema'] | undefined,
): Target | undefined {
  let found = target;
  for (let scope: Subject | undefined = subject; scope !== undefined; scope = scope.caller) {
    const schema = find(scope.resource);
    if (schema !== undefined) found = { schema, resource: scope.resource };
  }
  return found;
}

/** Whether the reference leads back to a schema that is being applied to this value: that would never end. */
function isEndless(subject: Subject, target: Target): boolean {
  if (!isJsonObject(target.schema)) return false;
  for (let scope: Subject | undefined = subject; scope !== undefined; scope = scope.caller) {
    if (scope.place !== subject.place) return false;
    if (scope.schema === target.schema) return true;
  }
  return false;
}
