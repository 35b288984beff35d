import type { RequestRecord } from '@quartermaster/client';

/** What a request's tools are called in their catalog, by the names that the model used. */
export function toolIds({ searches, loaded }: Pick<RequestRecord, 'searches' | 'loaded'>): (name: string) => string {
  const ids = new Map<string, string>(loaded.map(({ name, tool }) => [name, tool]));
  for (const { found, tools } of searches) {
    for (const [index, name] of found.entries()) ids.set(name, tools[index] ?? name);
  }
  return (name) => ids.get(name) ?? name;
}
