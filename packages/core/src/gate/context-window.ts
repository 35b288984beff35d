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

/** The parts of a model's id, in lower case: what names it may come after others, as in `us.anthropic.claude-…` and `openai/gpt-…`. */
export function modelSegments(model: string): readonly string[] {
  return model
    .slice(0, 256)
    .toLowerCase()
    .split(/[/.:](?=[a-z])/);
}

/** The longest entry that a segment of the id begins with. */
function knownWindow(model: string): number | undefined {
  const segments = modelSegments(model);
  let best: readonly [string, number] | undefined;
  for (const entry of KNOWN_WINDOWS) {
    const isLonger = entry[0].length > (best?.[0].length ?? 0);
    if (isLonger && segments.some((segment) => segment.startsWith(entry[0]))) best = entry;
  }
  return best?.[1];
}

/** Context windows by the beginning of a model's id, in tokens, as documented without opt-in headers. */
const KNOWN_WINDOWS: ReadonlyMap<string, number> = new Map(
  (
    [
      [200_000, 'claude o1 o3 o4'],
      [100_000, 'claude-2.0 claude-instant'],
      [16_385, 'gpt-3.5'],
      [8_192, 'gpt-4 gemma-2 llama-3'],
      [32_768, 'gpt-4-32k gemini-1.0 mistral'],
      [128_000, 'gpt-4-turbo gpt-4o chatgpt-4o gpt-4.5 o1-mini o1-preview deepseek command-r nova-micro'],
      [1_047_576, 'gpt-4.1'],
      [400_000, 'gpt-5'],
      [
        131_072,
        'gpt-oss gemma-3 llama-3.1 llama-3.2 llama-3.3 mistral-large mistral-medium mistral-small qwen2.5 qwen3 grok-3 glm-4',
      ],
      [1_048_576, 'gemini llama-4'],
      [2_097_152, 'gemini-1.5-pro'],
      [262_144, 'qwen3-coder kimi-k2'],
      [256_000, 'grok-4 command-a'],
      [300_000, 'nova-lite nova-pro'],
    ] as const
  ).flatMap(([tokens, models]) => models.split(' ').map((model) => [model, tokens] as const)),
);
