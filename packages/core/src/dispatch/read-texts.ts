import type { JsonObject } from '../catalog/index.ts';

/** The texts under any of these keys, in the keys' order, each once: a single one, a list, or a list written as JSON. */
export function readTexts(input: JsonObject, keys: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  for (const key of keys) {
    if (!Object.hasOwn(input, key)) continue;
    for (const text of listOf(input[key])) if (text.trim() !== '') texts.add(text.trim());
  }
  return [...texts];
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim().startsWith('[') ? listIn(value) : [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function listIn(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [text];
  } catch {
    return [text];
  }
}
