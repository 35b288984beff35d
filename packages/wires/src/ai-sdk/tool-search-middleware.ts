import type { LanguageModelV4, LanguageModelV4Middleware, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import type { Toolbox } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import { type Planned, planRequest, runLoop, runWhole } from '@quartermaster/core/loop';
import {
  loopSettings,
  type RequestToolboxes,
  requestToolboxes,
  type ToolSearchOptions,
} from '../internal/request-toolbox.ts';
import { aiSdkWire } from './ai-sdk-wire.ts';
import { type ModelPart, type ModelRequest, toolsOf } from './language-model-v4-shapes-2026-11.ts';
import { hostedSearch, readTools } from './open.ts';
import { stripRequest } from './render.ts';
import { modelWhole } from './whole.ts';

/** A middleware for `ai` 6 and 7: each has types for its own version of the specification, and this matches both. */
export interface ToolSearchMiddleware {
  /** `v4`, which both major versions run. No value has a type that also matches `v3`. */
  readonly specificationVersion: never;
  readonly wrapGenerate: NonNullable<LanguageModelV4Middleware['wrapGenerate']> & FitsAnyVersion;
  readonly wrapStream: NonNullable<LanguageModelV4Middleware['wrapStream']> & FitsAnyVersion;
}

/** Assignable to a function of any other version of the specification. */
type FitsAnyVersion = (options: unknown) => never;

/** Options of `toolSearchMiddleware`. */
export type AiSdkToolSearchOptions = ToolSearchOptions;

/** No limit on names: if the model's provider has one, it reports that itself. */
const MAX_NAME_LENGTH = 64;

/**
 * Tool search for any model: `wrapLanguageModel({ model, middleware: toolSearchMiddleware(…) })`. The tools of each call are the
 * catalog, and stay with `ai`, which executes what the model calls. Searches appear as calls of dynamic tools that the
 * provider executed; in the messages of a later call they are the memory.
 *
 * @example
 * const model = wrapLanguageModel({ model: anyModel, middleware: toolSearchMiddleware() });
 * await generateText({ model, tools, prompt });
 */
export function toolSearchMiddleware(options: AiSdkToolSearchOptions = {}): ToolSearchMiddleware {
  const toolboxes = requestToolboxes(options, { name: 'ai-sdk', maxNameLength: MAX_NAME_LENGTH });
  const findToolbox = toolboxFinder(toolboxes);
  const settings = loopSettings(options);
  const plan = (request: ModelRequest, { modelId }: LanguageModelV4): Planned<ModelRequest, ModelPart> => {
    // If the provider itself searches there is nothing to add, and nothing of ours may stay in the prompt.
    if (hostedSearch(request) !== undefined) return { kind: 'pass', request: stripRequest(request) };
    return planRequest({ wire: aiSdkWire, request, toolbox: findToolbox(request), ...toolboxes.settings(modelId) });
  };
  const middleware: LanguageModelV4Middleware = {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params, model }) {
      const planned = plan(params, model);
      if (planned.kind !== 'loop') return planned.request === params ? doGenerate() : model.doGenerate(planned.request);
      return runWhole({
        ...{ ...planned, ...settings, ...defined({ signal: params.abortSignal }) },
        whole: modelWhole,
        upstream: async (request, abortSignal) => model.doGenerate({ ...request, abortSignal }),
      });
    },
    async wrapStream({ doStream, params, model }) {
      const planned = plan(params, model);
      if (planned.kind !== 'loop') return planned.request === params ? doStream() : model.doStream(planned.request);
      let first: LanguageModelV4StreamResult | undefined;
      const parts = runLoop<ModelRequest, ModelPart>({
        ...{ ...planned, ...settings, ...defined({ signal: params.abortSignal }) },
        async *upstream(request, abortSignal) {
          const result = await model.doStream({ ...request, abortSignal });
          first ??= result;
          yield* readParts(result.stream);
        },
      });
      // Wait for the first part: a model that fails must reject, so that `ai` can retry.
      const stream = await writeParts(parts);
      const { stream: _, ...rest } = first ?? { stream };
      return { ...rest, stream };
    },
  };
  return middleware as object as ToolSearchMiddleware;
}

/** The values of a stream, for platforms whose streams are not iterable. Stopping early cancels it. */
async function* readParts<Part>(stream: ReadableStream<Part>): AsyncGenerator<Part, void, undefined> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } finally {
    if (!isDone) reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** A stream of the values, once the first has arrived; rejects if that fails. Read on demand, stopped when cancelled. */
async function writeParts<Part>(parts: AsyncIterableIterator<Part>): Promise<ReadableStream<Part>> {
  let next: IteratorResult<Part> | undefined = await parts.next();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const result = next ?? (await parts.next());
        next = undefined;
        if (result.done === true) controller.close();
        else controller.enqueue(result.value);
      },
      async cancel() {
        await parts.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

type ModelTools = NonNullable<ModelRequest['tools']>;

/**
 * The toolbox for a request's tools. `ai` rebuilds the list for every step, from the same descriptions and schemas. Such a list
 * is recognized by its content, so that thousands of tools are read and serialized only when they change.
 */
function toolboxFinder(toolboxes: RequestToolboxes): (request: ModelRequest) => Toolbox {
  let latest: { readonly tools: ModelTools; readonly toolbox: Toolbox } | undefined;
  return (request) => {
    const tools = toolsOf(request);
    if (latest !== undefined && isSame(latest.tools, tools)) return latest.toolbox;
    const toolbox = toolboxes.toolbox(readTools(request), JSON.stringify(tools));
    latest = { tools, toolbox };
    return toolbox;
  };
}

function isSame(left: ModelTools, right: ModelTools): boolean {
  return left.length === right.length && left.every((tool, index) => isSameTool(tool, right[index]));
}

/** The same fields with the same values, objects compared by identity: schemas are not changed in place. */
function isSameTool(left: object, right: object | undefined): boolean {
  if (left === right) return true;
  if (right === undefined) return false;
  const entries = Object.entries(left);
  const other = right as { readonly [key: string]: unknown };
  return (
    entries.length === Object.keys(right).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && other[key] === value)
  );
}
