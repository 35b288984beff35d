import { isJsonObject, type Json } from './json.ts';

/** A description with examples of the input in it, for formats without a field for them. Empty inputs are left out. */
export function describeExamples(description: string, examples: readonly Json[] | undefined): string {
  const lines = tellingExamples(examples).map((example) => JSON.stringify(example));
  if (lines.length === 0) return description;
  return [...(description === '' ? [] : [description, '']), 'Examples of input:', ...lines].join('\n');
}

/** The examples that say something. */
export function tellingExamples(examples: readonly Json[] | undefined): readonly Json[] {
  return (examples ?? []).filter((example) => isJsonObject(example) && Object.keys(example).length > 0);
}
