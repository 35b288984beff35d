import { wrongSetting } from '../check-option-names.ts';

/** What the gate needs to know about a model. */
export interface ModelLimits {
  readonly contextTokens: number;
  /** Where the figure comes from, for a plan's reason. */
  readonly source: 'override' | 'upstream' | 'table' | 'default';
}

/** What is known about a model's context window. The first field that is set decides. */
export interface ContextWindowQuestion {
  /** The user's own setting, before all else. */
  readonly override?: number | undefined;
  /** From the upstream's own model list. */
  readonly upstream?: number | undefined;
  readonly model?: string | undefined;
}

/** The context window assumed for unknown models: most current models have at least this. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;

/** How large the model's context window is: an override, then the upstream's model list, then the table, then the default. */
export function contextWindow(question: ContextWindowQuestion = {}): ModelLimits {
  const { override, upstream, model } = question;
  if (override !== undefined) {
    if (isWindow(override)) return { contextTokens: override, source: 'override' };
    const message = `The context window is ${override}; allowed: a whole number above 0`;
    throw wrongSetting('contextTokens', message, { value: override });
  }
  // A model list is untrusted: an invalid window is ignored, not an error.
  if (upstream !== undefined && isWindow(upstream)) return { contextTokens: upstream, source: 'upstream' };
  const known = model === undefined ? undefined : knownWindow(model);
  if (known !== undefined) return { contextTokens: known, source: 'table' };
  return { contextTokens: DEFAULT_CONTEXT_TOKENS, source: 'default' };
}

function isWindow(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

/** The longest entry that a segment of the id begins with, so that `us.anthropic.claude-…` and `openai/gpt-…` are known too. */
function knownWindow(model: string): number | undefined {
  const segments = model
    .slice(0, 256)
    .toLowerCase()
    .split(/[/.:](?=[a-z])/);
  let best: readonly [string, number] | undefined;
  for (const entry of KNOWN_WINDOWS) {
    const isLonger = entry[0].length > (best?.[0].length ?? 0);
    if (isLonger && segments.some((segment) => segment.startsWith(entry[0]))) best = entry;
  }
  return best?.[1];
}

/** Context windows by the beginning of a model's id, in tokens, as documented without opt-in headers. */
const KNOWN_WINDOWS: readonly (readonly [string, number])[] = [
  ['claude', 200_000],
  ['claude-2.0', 100_000],
  ['claude-instant', 100_000],
  ['gpt-3.5', 16_385],
  ['gpt-4', 8_192],
  ['gpt-4-32k', 32_768],
  ['gpt-4-turbo', 128_000],
  ['gpt-4o', 128_000],
  ['chatgpt-4o', 128_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4.5', 128_000],
  ['gpt-5', 400_000],
  ['gpt-oss', 131_072],
  ['o1', 200_000],
  ['o1-mini', 128_000],
  ['o1-preview', 128_000],
  ['o3', 200_000],
  ['o4', 200_000],
  ['gemini', 1_048_576],
  ['gemini-1.0', 32_768],
  ['gemini-1.5-pro', 2_097_152],
  ['gemma-2', 8_192],
  ['gemma-3', 131_072],
  ['llama-3', 8_192],
  ['llama-3.1', 131_072],
  ['llama-3.2', 131_072],
  ['llama-3.3', 131_072],
  ['llama-4', 1_048_576],
  ['mistral', 32_768],
  ['mistral-large', 131_072],
  ['mistral-medium', 131_072],
  ['mistral-small', 131_072],
  ['qwen2.5', 131_072],
  ['qwen3', 131_072],
  ['qwen3-coder', 262_144],
  ['deepseek', 128_000],
  ['grok-3', 131_072],
  ['grok-4', 256_000],
  ['command-r', 128_000],
  ['command-a', 256_000],
  ['kimi-k2', 262_144],
  ['glm-4', 131_072],
  ['nova-lite', 300_000],
  ['nova-micro', 128_000],
  ['nova-pro', 300_000],
];
