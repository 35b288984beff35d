import { isJsonObject } from '@quartermaster/core/catalog';
import {
  type ResponsesEvent,
  type ResponsesRequest,
  type ResponsesResponse,
  responsesDialect,
} from '@quartermaster/wires/openai-responses';
import type { ServedDialect } from '../../dialect.ts';
import { isSeal } from '../../internal/seal.ts';
import { toCall } from './to-call.ts';
import { writeEvents } from './write-events.ts';

export const openaiResponses: ServedDialect<ResponsesRequest, ResponsesEvent, ResponsesResponse, 'openai-responses'> = {
  ...responsesDialect,
  codec: {
    toCall,
    writer: writeEvents,
    withoutSeals: withoutSealedItems,
    // Responses are stored under their id, and other APIs' hosts number theirs, or return the same one each time.
    isUsableId: (id) => id.startsWith('resp_') && id.length >= SHORTEST_ID,
  },
};

/** Ids of the API itself are far longer. */
const SHORTEST_ID = 24;

/** No API would accept our seals as its own. */
function withoutSealedItems(request: ResponsesRequest): ResponsesRequest {
  if (!Array.isArray(request.input) || !request.input.some(isSealedItem)) return request;
  return { ...request, input: request.input.filter((item) => !isSealedItem(item)) };
}

function isSealedItem(item: unknown): boolean {
  return isJsonObject(item) && isSeal(item.encrypted_content);
}
