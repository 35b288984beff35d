/** Adds a value to the list under a key, which is made for the first one. Returns that list. */
export function addToList<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): Value[] {
  const list = lists.get(key);
  if (list === undefined) {
    const first = [value];
    lists.set(key, first);
    return first;
  }
  list.push(value);
  return list;
}
