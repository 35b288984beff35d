import type { Tool } from '@quartermaster/core';
import { searchText } from '@quartermaster/core/catalog';

/**
 * The share of a query's distinct words that the tools' own texts contain (name, server, description, parameters). High overlap means
 * that keyword search is enough, as in queries that a model wrote from the tool's text. Words are lower-case runs of letters or
 * digits, with identifiers split; words of one or two Latin letters don't count.
 */
export function wordOverlap(query: string, tools: readonly Tool[]): number {
  const asked = new Set(words(query));
  if (asked.size === 0) return 0;
  const known = new Set(tools.flatMap(toolWords));
  let shared = 0;
  for (const word of asked) if (known.has(word)) shared += 1;
  return shared / asked.size;
}

function toolWords(tool: Tool): readonly string[] {
  const text = searchText(tool);
  const all = [
    ...[text.name, text.server, text.description],
    ...text.parameterNames,
    ...text.parameterDescriptions,
    ...text.enumValues,
  ];
  return words(all.join('\n'));
}

function words(text: string): readonly string[] {
  const split = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  const found = split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.filter((word) => word.length > 2 || /[^a-z]/.test(word));
}
