import { estimateTokens } from '@quartermaster/core/gate';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';

/** About how many characters a token has, as in `estimateTokens`. */
export const CHARACTERS_PER_TOKEN: number = 4;

/** About how many tokens an image costs, however many characters carry it. */
const IMAGE_TOKENS = 1_600;

const counted = new WeakMap<AnthropicMessage, number>();

/** About how many tokens a message takes. Counted once, because conversations are sent again and again. */
export function messageTokens(message: AnthropicMessage): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  let images = 0;
  const text = JSON.stringify(message, (key, value: unknown) => {
    if (key !== 'data' || typeof value !== 'string' || value.length < IMAGE_TOKENS) return value;
    images += 1;
    return '';
  });
  const tokens = estimateTokens(text) + images * IMAGE_TOKENS;
  counted.set(message, tokens);
  return tokens;
}
