import type { Call } from '@quartermaster/core';
import { uniqueIds } from '@quartermaster/core/loop';
import { type AnthropicRequest, blocksOf } from './anthropic-shapes-2026-11.ts';

/** The ids that the client gets to see: new in the conversation, and of the API's patterns. Upstreams repeat theirs. */
export interface ResponseIds {
  /** `toolu_…`, another one each time. */
  call(id: string): string;
  /** `srvtoolu_…`, the same for the same call. It may hold no hyphen. */
  search(call: Call): string;
  /** `mcptoolu_…`, the same for the same call. */
  server(call: Call): string;
}

export function responseIds(request: AnthropicRequest): ResponseIds {
  const taken = request.messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => (typeof block.id === 'string' ? [block.id] : [])),
  );
  const uniqueCall = uniqueIds({ taken, pattern: /^toolu_[a-zA-Z0-9_-]+$/, prefix: 'toolu_' });
  const uniqueSearch = uniqueIds({ taken, pattern: /^srvtoolu_[a-zA-Z0-9_]+$/, prefix: 'srvtoolu_' });
  const uniqueServer = uniqueIds({ taken, pattern: /^mcptoolu_/, prefix: 'mcptoolu_' });
  const known = new Map<Call, string>();
  const once = (call: Call, make: () => string): string => {
    const id = known.get(call) ?? make();
    known.set(call, id);
    return id;
  };
  return {
    call: (id) => uniqueCall(id === '' ? NO_ID : id),
    search: (call) =>
      once(call, () => {
        const bare = call.id.replace(/^(?:srv)?toolu_/, '').replaceAll('-', '_');
        return uniqueSearch(bare === '' ? NO_ID : bare);
      }),
    server: (call) => once(call, () => uniqueServer(call.id.replace(/^toolu_/, '') || NO_ID)),
  };
}

/** For hosts that give their calls none. */
const NO_ID = 'call';
