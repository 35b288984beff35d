import type { Definition, View } from './plan.ts';

/**
 * The tools to declare for a view, in your own loop: the plan's fixed part, and where the form appends, what was revealed.
 * The very same array as long as there is nothing to add.
 *
 * @example
 * const tools = definitions(toolbox.view(plan, memory)); // [{ name, description, schema }]
 */
export function definitions(view: View): readonly Definition[] {
  const { plan, revealed } = view;
  if (plan.kind === 'inline' || plan.form.reveal !== 'append' || revealed.length === 0) return plan.definitions;
  return [...plan.definitions, ...revealed.map(bareDefinition)];
}

/** Name, description and schema, and nothing that only we know. */
export function bareDefinition({ name, description, schema }: Definition): Definition {
  return { name, description, schema };
}
