import type { LanguageModelV4Usage } from '@ai-sdk/provider';

/** The usage of two rounds as one. A count that neither has stays unknown; the provider's raw figures are the later round's. */
export function sumModelUsage(
  left: LanguageModelV4Usage | undefined,
  right: LanguageModelV4Usage,
): LanguageModelV4Usage {
  if (left === undefined) return right;
  const [input, output] = [left.inputTokens, left.outputTokens];
  return {
    ...right,
    inputTokens: {
      total: add(input.total, right.inputTokens.total),
      noCache: add(input.noCache, right.inputTokens.noCache),
      cacheRead: add(input.cacheRead, right.inputTokens.cacheRead),
      cacheWrite: add(input.cacheWrite, right.inputTokens.cacheWrite),
    },
    outputTokens: {
      total: add(output.total, right.outputTokens.total),
      text: add(output.text, right.outputTokens.text),
      reasoning: add(output.reasoning, right.outputTokens.reasoning),
    },
  };
}

function add(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}
