import { isJsonObject, type Json, type JsonObject } from '@quartermaster/core/catalog';
import { checkOptionNames } from '@quartermaster/core/internal';
import { checkValue } from '@quartermaster/host/schema';
import { invalidSetting } from '../invalid-setting.ts';

/** The format of the result. */
export interface OutputFormat {
  readonly type: 'json_schema';
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Checks results against the requested format. */
export interface StructuredOutput {
  /** Added to the system prompt. */
  readonly instruction: string;
  check(text: string): OutputCheck;
}

export type OutputCheck =
  | { readonly kind: 'good'; readonly value: unknown }
  /** The message to the model. */
  | { readonly kind: 'wrong'; readonly advice: string };

/** How often the model may try again. */
export const MOST_OUTPUT_RETRIES: number = 3;

/** Undefined if no format is requested. Throws a `SettingError` for an invalid one. */
export function createStructuredOutput(format: OutputFormat | undefined): StructuredOutput | undefined {
  if (format === undefined) return undefined;
  if (format.type !== 'json_schema' || !isJsonObject(format.schema)) {
    const problem = "outputFormat is not { type: 'json_schema', schema: { … } }";
    throw invalidSetting({ setting: 'outputFormat', value: format }, problem);
  }
  checkOptionNames('outputFormat', format, 'type schema');
  const schema: JsonObject = format.schema;
  return {
    instruction: `When you are done, answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`,
    check(text) {
      const parsed = parseAnswer(text);
      if (parsed === undefined) return { kind: 'wrong', advice: NOT_JSON };
      const check = checkValue(schema, parsed.value);
      if (check.kind !== 'wrong') return { kind: 'good', value: parsed.value };
      const problems = check.problems.map(({ path, message }) => `- ${path === '' ? 'the value' : path} ${message}`);
      return {
        kind: 'wrong',
        advice: `The JSON does not fit the schema:\n${problems.join('\n')}\nAnswer with the corrected JSON alone.`,
      };
    },
  };
}

const NOT_JSON = 'The answer is not JSON. Answer with the JSON value alone, without any other text.';

/** Models like to put JSON in a fenced block. */
function parseAnswer(text: string): { readonly value: Json } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text)?.[1];
  for (const candidate of [text, fenced]) {
    try {
      if (candidate !== undefined) return { value: JSON.parse(candidate) as Json };
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}
