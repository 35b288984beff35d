import { checkOptionNames } from '../check-option-names.ts';

/** How often a tool was called. */
export interface ToolUse {
  /** The tool's id. */
  readonly tool: string;
  readonly calls: number;
}

/** Options of `suggestPins`. */
export interface SuggestPinsOptions {
  /** How many calls make a tool worth sending in every request. @default 3 */
  readonly minCalls?: number;
}

const MOST_PINS = 5;
const FEWEST_PINS = 3;
const SUGGEST_PINS_DEFAULTS = { minCalls: 3 };

/**
 * The three to five most used tools: what is called all the time should not have to be searched for. The fourth and fifth
 * only if they are used at least half as often as the third. Fewer if fewer are used enough. Ties are ordered by id.
 */
export function suggestPins(uses: Iterable<ToolUse>, options: SuggestPinsOptions = {}): readonly string[] {
  checkOptionNames('suggestPins', options, SUGGEST_PINS_DEFAULTS);
  const { minCalls } = { ...SUGGEST_PINS_DEFAULTS, ...options };
  const calls = new Map<string, number>();
  for (const use of uses) calls.set(use.tool, (calls.get(use.tool) ?? 0) + use.calls);
  const ranked = [...calls]
    .filter(([, count]) => count >= minCalls)
    .sort(([leftTool, left], [rightTool, right]) => right - left || (leftTool < rightTool ? -1 : 1))
    .slice(0, MOST_PINS);
  const third = ranked[FEWEST_PINS - 1]?.[1] ?? 0;
  return ranked.filter(([, count], rank) => rank < FEWEST_PINS || count * 2 >= third).map(([tool]) => tool);
}
