import { isJsonObject } from '@quartermaster/core/catalog';
import type { AnthropicUsage } from '@quartermaster/wires/anthropic';

/** What several requests used together: counts are added up, inside blocks of them too; of anything else the latest stands. */
export function addUsage(before: AnthropicUsage, added: AnthropicUsage): AnthropicUsage {
  const sum: Record<string, unknown> = { ...before };
  for (const [field, value] of Object.entries(added)) {
    const known = Object.hasOwn(before, field) ? before[field] : undefined;
    if (typeof value === 'number' && typeof known === 'number') sum[field] = known + value;
    else if (isJsonObject(value) && isJsonObject(known)) sum[field] = addUsage(known, value);
    else if (value !== null || known === undefined) sum[field] = value;
  }
  return sum;
}
