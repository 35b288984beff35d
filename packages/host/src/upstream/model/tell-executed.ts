import type { BlockEvent } from './serialise-parts.ts';

/** The maximum length of a call's result that is shown, in characters. */
const LONGEST_RESULT = 4_000;

/**
 * Calls that a provider executed itself, with their results, as thoughts: for dialects that have no blocks for them. They are no part of
 * the answer, which may have to be JSON, but its client can see what it is based on.
 */
export function tellExecuted(): (event: BlockEvent) => readonly BlockEvent[] {
  let isInside = false;
  return (event) => {
    switch (event.type) {
      case 'open':
        if (event.block.kind !== 'call' || !event.block.isExecuted) return [event];
        isInside = true;
        return [OPEN, { type: 'delta', text: `[The provider ran ${event.block.name}: ` }];
      case 'close':
        if (!isInside) return [event];
        isInside = false;
        return [{ type: 'delta', text: ']' }, CLOSE];
      case 'result': {
        const { toolName, result, isError } = event.result;
        const text = typeof result === 'string' ? result : JSON.stringify(result);
        // Half of a surrogate pair is no text.
        const start = text.slice(0, LONGEST_RESULT).replace(/[\uD800-\uDBFF]$/, '');
        const rest = text.length - start.length;
        const told = rest > 0 ? `${start} … ${rest} characters more` : text;
        return [
          OPEN,
          { type: 'delta', text: `[${isError === true ? 'Error' : 'Result'} of ${toolName}: ${told}]` },
          CLOSE,
        ];
      }
      default:
        return [event];
    }
  };
}

const OPEN: BlockEvent = { type: 'open', block: { kind: 'reasoning', metadata: {} } };
const CLOSE: BlockEvent = { type: 'close', metadata: {} };
