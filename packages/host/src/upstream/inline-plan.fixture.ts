import { createSnapshot } from '@quartermaster/core';
import type { InlinePlan } from '@quartermaster/core/disclosure';

/** A plan for a request without tools, for wires that ask for one. */
export const INLINE_PLAN: InlinePlan = {
  kind: 'inline',
  snapshot: createSnapshot([]),
  shown: [],
  definitions: [],
  reason: 'Nothing is deferred',
  tokens: { before: 0, after: 0 },
};
