/** How the ids of items of a type begin. */
export function prefixOf(type: string): string {
  return PREFIXES.get(type) ?? 'item';
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['item_reference', 'ref'],
]);
