import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider';
import { estimateTokens } from '@quartermaster/core/gate';
import { sha256 } from '@quartermaster/core/internal';
import { DIALECTS, type DialectName, type DialectUpstream } from '../dialect.ts';
import { answeringModel } from '../model/answering-model.ts';
import { createModelUpstream } from '../model/create-model-upstream.ts';
import { chooseAct } from './choose-act.ts';
import { readScene, type Scene } from './read-scene.ts';

/** The beginning of every text of the mock model. */
export const REHEARSAL_NOTICE = 'Mock model, not a language model.';

/** A model for `ai` 6 and 7: each has types for its own version of the specification, and this matches both. */
export interface RehearsalModel extends Pick<LanguageModelV4, 'provider' | 'modelId' | 'supportedUrls'> {
  /** `v4`, which both major versions run. No value has a type that also matches `v3`. */
  readonly specificationVersion: never;
  readonly doGenerate: LanguageModelV4['doGenerate'] & FitsAnyVersion;
  readonly doStream: LanguageModelV4['doStream'] & FitsAnyVersion;
}

/** Assignable to a function of any other version of the specification. */
type FitsAnyVersion = (options: unknown) => never;

/**
 * A mock model, not a language model: with it the whole flow of search, call and result can be seen and tested without
 * a key. Deterministic: the same request gives the same answer.
 */
export function rehearsalModel(modelId = 'rehearsal'): RehearsalModel {
  return answeringModel({ provider: 'rehearsal', modelId }, (options) =>
    perform(options, modelId),
  ) as object as RehearsalModel;
}

/**
 * The mock model as an upstream of any dialect. It carries whatever the dialect's own API carries: references, marks, and searches
 * by the client or the provider.
 */
export function rehearsal<D extends DialectName>(dialect: D): DialectUpstream<D> {
  return createModelUpstream({ dialect, model: rehearsalModel(), transport: DIALECTS[dialect].endpoint.transport });
}

function perform(options: LanguageModelV4CallOptions, modelId: string): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted();
  const content = act(readScene(options), options);
  const asked = JSON.stringify([options.prompt, options.tools ?? []]);
  const input = estimateTokens(asked);
  const output = estimateTokens(JSON.stringify(content));
  const isCall = content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true);
  return {
    content,
    finishReason: { unified: isCall ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
    response: { id: `rehearsal_${sha256([asked]).slice(0, 24)}`, modelId },
    warnings: [],
  };
}

function act(scene: Scene, options: LanguageModelV4CallOptions): LanguageModelV4Content[] {
  const chosen = chooseAct(scene, options.toolChoice);
  const said: LanguageModelV4Content = { type: 'text', text: `${REHEARSAL_NOTICE} ${chosen.text}` };
  const toolCallId = `call_${scene.callCount + 1}`;
  switch (chosen.kind) {
    case 'say':
      return [said];
    case 'call':
      return [said, { type: 'tool-call', toolCallId, toolName: chosen.name, input: JSON.stringify(chosen.input) }];
    case 'search': {
      const { name: toolName, input, found } = chosen;
      const id = `srvtoolu_${scene.callCount + 1}`;
      const result = found.map((name) => ({ type: 'tool_reference', toolName: name }));
      return [
        said,
        { type: 'tool-call', toolCallId: id, toolName, input: JSON.stringify(input), providerExecuted: true },
        { type: 'tool-result', toolCallId: id, toolName, result },
        ...act(afterSearch(scene, chosen), { ...options, toolChoice: { type: 'auto' } }),
      ];
    }
  }
}

/** The conversation after the provider's own search, within one response. */
function afterSearch(scene: Scene, searched: { readonly name: string; readonly found: readonly string[] }): Scene {
  const { name, found } = searched;
  const loaded = scene.deferred.filter((tool) => found.includes(tool.name));
  return {
    ...scene,
    declared: [...scene.declared, ...loaded.filter((tool) => !scene.declared.includes(tool))],
    found: found.map((one) => ({ name: one, description: '' })),
    calls: [...scene.calls, { name, input: {}, answer: '', isError: false }],
    callCount: scene.callCount + 1,
  };
}
