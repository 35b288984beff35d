import { isJsonObject, type JsonObject } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import type { ModelPart, ModelUsage } from './model.ts';

/** How much one response may hold, in characters. */
const MOST_CHARACTERS = 32_000_000;

interface OpenCall {
  readonly index: number;
  id: string | undefined;
  name: string;
  arguments: string;
  extra: JsonObject;
}

/** Reads the chunks of one chat completion. Calls are told apart by their index; where hosts leave it out or repeat it, by their id. */
export function createChunkReader(fail: (message: string) => Error): {
  read(chunk: unknown): readonly ModelPart[];
  /** `isDone`: the host has said that nothing follows. Without that and without a reason to stop, the answer is not whole. */
  end(isDone: boolean): readonly ModelPart[];
} {
  const calls: OpenCall[] = [];
  let reason: string | undefined;
  let usage: ModelUsage | undefined;
  let length = 0;

  const count = (text: string): string => {
    length += text.length;
    if (length > MOST_CHARACTERS) throw fail(`the answer has more than ${MOST_CHARACTERS} characters`);
    return text;
  };
  const take = (delta: JsonObject): void => {
    const { index: given, id, function: inner, type: _, ...extra } = delta;
    const { name, arguments: piece } = isJsonObject(inner) ? inner : {};
    const index = typeof given === 'number' ? given : (calls.at(-1)?.index ?? 0);
    const isNew = (known: OpenCall): boolean => isText(id) && known.id !== undefined && known.id !== id && isText(name);
    let call = calls.findLast((one) => one.index === index);
    if (call === undefined || isNew(call)) {
      call = { index, id: undefined, name: '', arguments: '', extra: {} };
      calls.push(call);
    }
    if (isText(id)) call.id ??= id;
    if (isText(name) && call.name === '') call.name = count(name);
    // Some hosts send the arguments as an object.
    call.arguments += count(isJsonObject(piece) ? JSON.stringify(piece) : isText(piece) ? piece : '');
    if (Object.keys(extra).length > 0) call.extra = { ...call.extra, ...extra };
    count(JSON.stringify(extra));
  };

  return {
    read(chunk) {
      if (!isJsonObject(chunk)) throw fail('a part of the answer is not an object');
      if (chunk.error !== undefined && chunk.error !== null) throw fail(JSON.stringify(chunk.error).slice(0, 500));
      usage = readUsage(chunk.usage) ?? usage;
      const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
      if (!isJsonObject(choice)) return [];
      if (isText(choice.finish_reason)) reason = choice.finish_reason;
      const delta = isJsonObject(choice.delta) ? choice.delta : {};
      if (Array.isArray(delta.tool_calls)) for (const one of delta.tool_calls) if (isJsonObject(one)) take(one);
      return isText(delta.content) ? [{ kind: 'text', text: count(delta.content) }] : [];
    },
    end(isDone) {
      if (reason === undefined && !isDone) throw fail('the answer broke off before its end');
      const isCut = reason === 'length' || reason === 'content_filter';
      return [
        ...calls
          .filter((call) => call.name !== '')
          .map(({ id, name, arguments: written, extra }): ModelPart => {
            const kept = Object.keys(extra).length === 0 ? undefined : extra;
            return { kind: 'call', name, arguments: written, ...defined({ id, extra: kept }) };
          }),
        { kind: 'end', isCut, ...defined({ usage }) },
      ];
    },
  };
}

function readUsage(usage: unknown): ModelUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  return { inputTokens: tokens(usage.prompt_tokens), outputTokens: tokens(usage.completion_tokens) };
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
