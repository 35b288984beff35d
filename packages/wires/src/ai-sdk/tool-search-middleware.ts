import type { LanguageModelV4, LanguageModelV4Middleware, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import type { Toolbox } from '@quartermaster/core';
import { defined } from '@quartermaster/core/internal';
import { type LoopOptions, runLoop, runWhole } from '@quartermaster/core/loop';
import {
  loopSettings,
  type RequestToolboxes,
  requestToolboxes,
  type ToolSearchOptions,
} from '../internal/request-toolbox.ts';
import { aiSdkWire } from './ai-sdk-wire.ts';
import type { ModelPart, ModelRequest } from './language-model-v4-shapes-2026-11.ts';
import { hostedSearch } from './open.ts';
import { readParts, writeParts } from './part-stream.ts';
import { stripPrompt } from './render-prompt.ts';
import { toolboxFinder } from './request-toolbox.ts';
import { modelWhole } from './whole.ts';

/** Options of `toolSearchMiddleware`. */
export type AiSdkToolSearchOptions = ToolSearchOptions;

/** A name may be as long as any provider takes it; what the provider behind the model can't take, it says itself. */
const MAX_NAME_LENGTH = 64;

/**
 * Tool search for any model: `wrapLanguageModel({ model, middleware: toolSearchMiddleware(…) })`. The tools of each call are the
 * catalog, and stay with `ai`, which executes what the model calls. Searches show up as calls of dynamic tools that the
 * provider executed; in the messages of a later call they are what is remembered.
 *
 * @example
 * const model = wrapLanguageModel({ model: anyModel, middleware: toolSearchMiddleware() });
 * await generateText({ model, tools, prompt });
 */
export function toolSearchMiddleware(options: AiSdkToolSearchOptions = {}): LanguageModelV4Middleware {
  const toolboxes = requestToolboxes(options, { name: 'ai-sdk', maxNameLength: MAX_NAME_LENGTH });
  const findToolbox = toolboxFinder(toolboxes);
  const settings = loopSettings(options);
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params, model }) {
      const prepared = prepare(params, { model, toolboxes, findToolbox });
      if (prepared.kind === 'plain') {
        return prepared.request === params ? doGenerate() : model.doGenerate(prepared.request);
      }
      return runWhole({
        ...prepared.loop,
        ...settings,
        whole: modelWhole,
        upstream: async (request, abortSignal) => model.doGenerate({ ...request, abortSignal }),
      });
    },
    async wrapStream({ doStream, params, model }) {
      const prepared = prepare(params, { model, toolboxes, findToolbox });
      if (prepared.kind === 'plain') {
        return prepared.request === params ? doStream() : model.doStream(prepared.request);
      }
      let first: LanguageModelV4StreamResult | undefined;
      const parts = runLoop<ModelRequest, ModelPart>({
        ...prepared.loop,
        ...settings,
        async *upstream(request, abortSignal) {
          const result = await model.doStream({ ...request, abortSignal });
          first ??= result;
          yield* readParts(result.stream);
        },
      });
      // The first part is waited for: a model that refuses must reject, so that `ai` can try again.
      const stream = await writeParts(parts);
      const { stream: _, ...rest } = first ?? { stream };
      return { ...rest, stream };
    },
  };
}

type Prepared =
  | { readonly kind: 'plain'; readonly request: ModelRequest }
  | { readonly kind: 'search'; readonly loop: Omit<LoopOptions<ModelRequest, ModelPart>, 'upstream'> };

/** Where the provider searches itself there is nothing to add, and nothing of ours may stay in the prompt. */
function prepare(
  request: ModelRequest,
  context: {
    readonly model: LanguageModelV4;
    readonly toolboxes: RequestToolboxes;
    readonly findToolbox: (request: ModelRequest) => Toolbox;
  },
): Prepared {
  const { model, toolboxes, findToolbox } = context;
  if (hostedSearch(request) !== undefined) {
    const prompt = stripPrompt(request.prompt);
    return { kind: 'plain', request: prompt === request.prompt ? request : { ...request, prompt } };
  }
  const toolbox = findToolbox(request);
  const plan = toolboxes.plan(toolbox, model.modelId);
  if (plan.kind === 'inline') {
    const view = toolbox.view(plan, aiSdkWire.recall(request, plan));
    return { kind: 'plain', request: aiSdkWire.render(request, view, () => '') };
  }
  const { abortSignal } = request;
  return {
    kind: 'search',
    loop: { wire: aiSdkWire, toolbox, plan, request, ...defined({ signal: abortSignal }) },
  };
}
