import type { DialectName, DialectOf, PartOf } from '@quartermaster/host/upstream';
import type { UsedUp } from '../access/index.ts';
import type { OpenExchange } from './model-service.ts';

/** What a response says of its own use, read from its parts as they pass. */
export interface Tally<Part> {
  add(part: Part): void;
  readonly used: UsedUp;
  /** The ids of all tools that it calls, for events: the first hundred. */
  readonly called: readonly string[];
}

const MOST_CALLS = 100;

export function tallyUse<Name extends DialectName>(
  dialect: DialectOf<Name>,
  { identify }: Pick<OpenExchange<Name>, 'identify'>,
): Tally<PartOf<Name>> {
  const tools: string[] = [];
  const called: string[] = [];
  let used: UsedUp = { inputTokens: 0, outputTokens: 0, searches: 0, tools };
  return {
    get used() {
      return used;
    },
    called,
    add(part) {
      for (const name of dialect.api.readCalls(part)) {
        const { id, isFromCatalog } = identify(name);
        if (isFromCatalog) tools.push(name);
        if (called.length < MOST_CALLS) called.push(id);
      }
      const told = dialect.api.readUsage(part);
      if (told !== undefined) used = { ...used, ...told };
    },
  };
}
