import { randomBytes } from 'node:crypto';
import { type ResponsesEvent, responsesWhole } from '@quartermaster/wires/openai-responses';

/** What a host says in one round: words, or a call. */
export type Said = string | { readonly name: string; readonly input: object };

/** Rounds of a host that speaks the Responses API; ids are as long as the API's own. */
export function responseRounds(...rounds: readonly Said[]): readonly (readonly ResponsesEvent[])[] {
  return rounds.map((said) => roundOf(said, randomBytes(16).toString('hex')));
}

/** The same of a host that numbers its responses from 1 in every conversation. */
export function numberedRounds(...rounds: readonly Said[]): readonly (readonly ResponsesEvent[])[] {
  return rounds.map((said, index) => roundOf(said, String(index + 1)));
}

function roundOf(said: Said, id: string): readonly ResponsesEvent[] {
  const item =
    typeof said === 'string'
      ? {
          ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: said, annotations: [] }],
        }
      : {
          ...{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status: 'completed' },
          ...{ name: said.name, arguments: JSON.stringify(said.input) },
        };
  return responsesWhole.toParts({
    ...{ id: `resp_${id}`, object: 'response', status: 'completed', model: 'gpt-test', output: [item] },
    tools: [],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  });
}

/** A tool of the client's that is to be searched for. */
export const DEFERRED = {
  ...{ type: 'function' as const, strict: false, defer_loading: true, name: 'get_weather' },
  description: 'Get the weather at a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } } },
};

export const SEARCHED: Said = { name: 'tool_search', input: { query: 'weather at a location' } };
export const CALLED: Said = { name: 'tool_call', input: { name: 'get_weather', arguments: { location: 'Paris' } } };
