/**
 * Whether lists and plain objects nest deeper than a limit. A value that contains itself does. Objects with a prototype of
 * their own (of a schema library, say) are no JSON and not looked into.
 */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (exceedsDepth(value[i], limit - 1)) return true;
    }
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  for (const key in value) {
    if (exceedsDepth(memberOf(value, key), limit - 1)) return true;
  }
  return false;
}

/** The SDKs' schema holders have getters, and those may fail: the code that needs the value reports it. */
function memberOf(value: object, key: string): unknown {
  try {
    return (value as { readonly [key: string]: unknown })[key];
  } catch {
    return undefined;
  }
}
