import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { sumUsage } from '../internal/sum-usage.ts';

/** The usage of two rounds as one. Counts are added, in lists of details by modality; anything else is the later round's. */
export function sumUsageMetadata(left: JsonObject | undefined, right: JsonObject | undefined): JsonObject | undefined {
  const sum = sumUsage(left, right);
  if (sum === undefined || left === undefined || right === undefined) return sum;
  return Object.fromEntries(
    Object.entries(sum).map(([key, value]) => {
      const [before, after] = [left[key], right[key]];
      return [key, Array.isArray(before) && Array.isArray(after) ? sumDetails(before, after) : value];
    }),
  );
}

/** `[{ modality: 'TEXT', tokenCount: 12 }, …]`, in the order in which modalities first appear. */
function sumDetails(left: readonly Json[], right: readonly Json[]): Json[] {
  const sums = new Map<string, JsonObject>();
  for (const detail of [...left, ...right]) {
    if (!isJsonObject(detail) || typeof detail.tokenCount !== 'number') continue;
    const modality = String(detail.modality);
    const before = sums.get(modality)?.tokenCount;
    sums.set(modality, { ...detail, tokenCount: detail.tokenCount + (typeof before === 'number' ? before : 0) });
  }
  return [...sums.values()];
}
