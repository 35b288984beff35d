import { isJsonObject } from '../catalog/index.ts';
import { defined } from '../catalog/internal.ts';
import { checkOptionNames, wrongSetting } from '../check-option-names.ts';
import type { Definition, Plan } from '../disclosure/index.ts';
import { malformed } from '../upstream-error.ts';
import { askEndpoint } from './ask-endpoint.ts';
import type { Model, ModelFunction, ModelPart, ModelReply, ModelRequest } from './model.ts';
import type { PlainRequest } from './plain-wire.ts';

/** Checks what `model` is, before anything is sent. */
export function readModel(model: Model): Model {
  if (typeof model === 'function') return model;
  const { url, model: name } = (model ?? {}) as { readonly url?: unknown; readonly model?: unknown };
  if (typeof url === 'string' && URL.canParse(url) && typeof name === 'string' && name !== '') {
    checkOptionNames('model', model, 'url model apiKey headers body fetch');
    return model;
  }
  throw wrongSetting('model', 'model is neither a function nor an endpoint: { url, model } with an absolute URL');
}

/** One round: the model's answer, in either form. */
export async function* askModel(
  model: Model,
  request: PlainRequest,
  { plan, signal }: { readonly plan: Plan; readonly signal: AbortSignal },
): AsyncGenerator<ModelPart, void, undefined> {
  const tools = plan.kind === 'inline' ? plan.definitions : (request.tools as readonly Definition[]);
  const asked: ModelRequest = { messages: request.messages, tools, signal };
  if (typeof model !== 'function') {
    yield* askEndpoint(model, asked);
    return;
  }
  const reply = model(asked);
  if (isStream(reply)) {
    for await (const part of reply) yield checkedPart(part);
    return;
  }
  yield* partsOf(await reply);
}

function partsOf(reply: ModelReply): readonly ModelPart[] {
  const { content, calls, isCut, usage } = isJsonObject(reply) ? (reply as ModelReply) : unreadable(reply);
  if ((content !== undefined && typeof content !== 'string') || (calls !== undefined && !Array.isArray(calls))) {
    return unreadable(reply);
  }
  return [
    ...(content === undefined ? [] : [{ kind: 'text' as const, text: content }]),
    ...(calls ?? []).map((call) => checkedPart({ ...call, kind: 'call' })),
    { kind: 'end', ...defined({ isCut, usage }) },
  ];
}

function checkedPart(part: ModelPart): ModelPart {
  const { kind, text, name } = (part ?? {}) as { readonly [field in 'kind' | 'text' | 'name']?: unknown };
  const isReadable = kind === 'end' || (kind === 'text' ? typeof text : kind === 'call' && typeof name) === 'string';
  return isReadable ? part : unreadable(part);
}

function unreadable(value: unknown): never {
  const shown = (JSON.stringify(value) ?? String(value)).slice(0, 200);
  throw malformed(
    `The model function gave ${shown}; expected { content, calls: [{ name, arguments }] } or parts of kind text, call and end`,
  );
}

function isStream(reply: ReturnType<ModelFunction>): reply is AsyncIterable<ModelPart> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}
