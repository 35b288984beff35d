/**
 * One list that serves several in turn: the first of each, the second of each, and so on. What is in already is passed
 * over, and its list gives the next one instead.
 */
export function takeTurns<Item>(
  lists: readonly (readonly Item[])[],
  limit: number,
  identify: (item: Item) => unknown,
): Item[] {
  const taken: Item[] = [];
  const seen = new Set<unknown>();
  const places = lists.map(() => 0);
  for (let isMore = true; isMore && taken.length < limit; ) {
    isMore = false;
    for (let turn = 0; turn < lists.length && taken.length < limit; turn += 1) {
      const list = lists[turn] ?? [];
      let place = places[turn] ?? 0;
      while (place < list.length && seen.has(identify(list[place] as Item))) {
        place += 1;
      }
      if (place < list.length) {
        const item = list[place] as Item;
        taken.push(item);
        seen.add(identify(item));
        isMore = true;
      }
      places[turn] = place + 1;
    }
  }
  return taken;
}
