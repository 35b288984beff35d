import { estimateTokens } from '@quartermaster/core/gate';
import { memoized } from '@quartermaster/core/internal';
import type { AnthropicMessage } from '@quartermaster/wires/anthropic';

/** About how many characters a token has, as in `estimateTokens`. */
export const CHARACTERS_PER_TOKEN: number = 4;

/** About how many tokens an image costs, however many characters carry it. */
const IMAGE_TOKENS = 1_600;

/** About how many tokens a message takes. Counted once, because conversations are sent again and again. */
export const messageTokens: (message: AnthropicMessage) => number = memoized((message: AnthropicMessage) => {
  let images = 0;
  const text = JSON.stringify(message, (key, value: unknown) => {
    if (key !== 'data' || typeof value !== 'string' || value.length < IMAGE_TOKENS) return value;
    images += 1;
    return '';
  });
  return estimateTokens(text) + images * IMAGE_TOKENS;
});
