import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { modelWhole } from '@quartermaster/wires/ai-sdk';

/** A model that knows its whole answer at once; its stream is the same answer in parts. */
export function answeringModel(
  names: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  answer: (...asked: Parameters<LanguageModelV4['doGenerate']>) => LanguageModelV4GenerateResult,
): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    ...names,
    supportedUrls: {},
    doGenerate: async (options) => answer(options),
    async doStream(options) {
      const parts = modelWhole.toParts(answer(options));
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}
