import type { Plan } from '@quartermaster/core';

/**
 * Whether a client should list its tools again. Tools that come and go behind the search change nothing that it sees, and a new
 * list would cost it its prompt cache: those are told in answers.
 */
export function needsRelist(before: Plan, after: Plan): boolean {
  if (before === after) return false;
  if (before.kind !== after.kind) return true;
  return visible(before) !== visible(after);
}

function visible(plan: Plan): string {
  const own = plan.kind === 'defer' ? plan.own.map((one) => one.name) : [];
  return JSON.stringify([own, plan.shown.map(({ name, description, schema }) => [name, description, schema])]);
}
