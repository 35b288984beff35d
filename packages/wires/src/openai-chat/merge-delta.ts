/** Fields that say what something is: a later value replaces the earlier one. */
const STATED: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'name',
  'index',
  'signature',
  'format',
  'expires_at',
]);

/**
 * Folds one delta into what came before: texts go on, lists grow, objects are merged, and everything else is replaced. Unknown
 * fields (reasoning of other hosts) fold by the same rule.
 */
export function mergeDelta(
  before: Readonly<Record<string, unknown>>,
  delta: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // Marks of ours that are no fields stay too.
  const marks = Object.getOwnPropertySymbols(delta).map((mark) => [mark, Reflect.get(delta, mark)]);
  const merged: Record<string, unknown> = { ...before, ...Object.fromEntries(marks) };
  for (const [key, value] of Object.entries(delta)) {
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    // Defined, not assigned: `__proto__` is a field like any other.
    Object.defineProperty(merged, key, {
      value: mergeValue(key, known, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

function mergeValue(key: string, known: unknown, value: unknown): unknown {
  if (known === undefined || known === null) return value;
  if (value === undefined || value === null) return known;
  if (typeof known === 'string' && typeof value === 'string') return STATED.has(key) ? value : known + value;
  if (Array.isArray(known) && Array.isArray(value)) return [...known, ...value];
  if (isRecord(known) && isRecord(value)) return mergeDelta(known, value);
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
