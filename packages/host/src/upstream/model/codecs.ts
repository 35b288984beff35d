import type { Dialect } from '../dialect.ts';
import { toCall as messagesToCall, writeEvents as writeMessagesEvents } from './anthropic/index.ts';
import type { ModelCodec } from './model-codec.ts';
import { toCall as chatToCall, writeChunks } from './openai-chat/index.ts';
import { toCall as responsesToCall, writeEvents as writeResponsesEvents } from './openai-responses/index.ts';

export const CODECS: { readonly [D in Dialect]: ModelCodec<D> } = {
  anthropic: { toCall: messagesToCall, writer: writeMessagesEvents },
  'openai-chat': { toCall: chatToCall, writer: writeChunks },
  'openai-responses': { toCall: responsesToCall, writer: writeResponsesEvents },
};
