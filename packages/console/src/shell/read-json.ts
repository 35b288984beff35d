/** What a text is as JSON. Undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of what may be an object. */
export function child(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}
