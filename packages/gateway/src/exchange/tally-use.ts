import type { Dialect, PartOf } from '@quartermaster/host/upstream';
import type { UsedUp } from '../access/index.ts';
import type { OpenExchange } from './model-service.ts';
import type { Surface } from './surface.ts';

/** What a response says of its own use, read from its parts as they pass. */
export interface Tally<Part> {
  add(part: Part): void;
  readonly used: UsedUp;
}

export function tallyUse<Name extends Dialect>(
  surface: Surface<Name>,
  { isFromCatalog }: Pick<OpenExchange<Name>, 'isFromCatalog'>,
): Tally<PartOf<Name>> {
  const tools: string[] = [];
  let used: UsedUp = { inputTokens: 0, outputTokens: 0, searches: 0, tools };
  return {
    get used() {
      return used;
    },
    add(part) {
      for (const name of surface.readCalls(part)) if (isFromCatalog(name)) tools.push(name);
      const told = surface.readUsage(part);
      if (told !== undefined) used = { ...used, ...told };
    },
  };
}
