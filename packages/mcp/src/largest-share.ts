/** Who has the most of what is shared by all, the one that came first among equals; undefined where there is none. */
export function largestShare<Owner>(owners: Iterable<Owner>): Owner | undefined {
  const counts = new Map<Owner, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  let most: { readonly owner: Owner; readonly count: number } | undefined;
  for (const [owner, count] of counts) if (count > (most?.count ?? 0)) most = { owner, count };
  return most?.owner;
}
