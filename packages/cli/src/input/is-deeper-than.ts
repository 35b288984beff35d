/** Whether a JSON value nests more than so many levels; looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((member) => isDeeperThan(member, levels - 1));
  for (const key in value) {
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true;
  }
  return false;
}
