import { isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { estimateTokens } from '@quartermaster/core/gate';
import { textLength, tryParseJson } from '@quartermaster/core/internal';
import type { RequestContext } from '../http/index.ts';
import type { OnEnd } from './model-routes.ts';

/** Counts the usage of a request that is passed on. What its host does not report is estimated. */
export function meterPassed(passed: {
  readonly facts: RequestContext['facts'];
  readonly signal: AbortSignal;
  readonly onEnd: OnEnd;
  readonly bodyLength: number;
}): {
  /** The host has read a request whose client left before the answer arrived. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The answer for the client, counted as it passes. */
  answer(answer: Response, headers: Headers): Promise<Response>;
} {
  const { facts, signal, onEnd, bodyLength } = passed;
  const read = estimateTokens({ length: bodyLength });
  const note = (inputTokens: number, outputTokens: number): void => {
    if (facts.model !== undefined) facts.used = { inputTokens, outputTokens, searches: 0, tools: [] };
  };
  const during = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) note(read, 0);
      throw error;
    }
  };
  return {
    during,
    async answer(answer, headers) {
      const type = headers.get('content-type') ?? '';
      const reported = { usage: { inputTokens: 0, outputTokens: 0 }, written: 0 };
      const noteReported = (): void => {
        const { usage, written } = reported;
        note(usage.inputTokens || read, usage.outputTokens || estimateTokens({ length: written }));
      };
      if (answer.body !== null && type.startsWith('text/event-stream')) {
        const end = (): void => {
          noteReported();
          onEnd();
        };
        return new Response(
          followEvents(answer.body, (event) => addEvent(reported, event), end),
          { headers },
        );
      }
      // Speech and similar endpoints report no usage.
      noteReported();
      if (facts.model === undefined || !type.includes('json')) return new Response(answer.body, { headers });
      const text = await during(() => answer.text());
      addEvent(reported, parse(text));
      noteReported();
      return new Response(text, { headers });
    },
  };
}

/** What the host has reported so far. */
interface Reported {
  usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Characters. */
  written: number;
}

/** One event of a stream: usage, or a piece of an answer. */
function addEvent(reported: Reported, event: JsonObject): void {
  const usage = usageIn(event);
  if (usage.inputTokens + usage.outputTokens > 0) reported.usage = usage;
  const choices = Array.isArray(event.choices) ? event.choices : [];
  for (const choice of choices) if (isJsonObject(choice)) reported.written += textLength(choice.text);
  reported.written += textLength(event.delta);
}

function usageIn({ usage }: JsonObject): Reported['usage'] {
  if (!isJsonObject(usage)) return { inputTokens: 0, outputTokens: 0 };
  const { prompt_tokens: read = usage.input_tokens, completion_tokens: written = usage.output_tokens } = usage;
  return { inputTokens: Number(read) || 0, outputTokens: Number(written) || 0 };
}

/** A longer line is not an event of these APIs. */
const MOST_LINE_CHARACTERS = 1024 * 1024;

/** The same bytes; calls back for each event, and once at the end, however it ends. */
function followEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: JsonObject) => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      controller.enqueue(bytes);
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      rest = (lines.pop() ?? '').slice(0, MOST_LINE_CHARACTERS);
      for (const line of lines) if (line.startsWith('data:')) onEvent(parse(line.slice('data:'.length)));
    },
  });
  body.pipeTo(writable).then(onEnd, onEnd);
  return readable;
}

function parse(text: string): JsonObject {
  const value = tryParseJson(text);
  return isJsonObject(value) ? value : {};
}
