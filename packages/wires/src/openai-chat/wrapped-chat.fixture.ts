import type { FormName } from '@quartermaster/core/disclosure';
import type OpenAI from 'openai';
import { openaiHost } from '../internal/openai-host.fixture.ts';
import { chatTool } from './chat-script.fixture.ts';
import { chatWhole } from './whole.ts';
import { withToolSearch } from './wrap-openai.ts';

export const READ = chatTool('read_file', 'Reads a file.');
export const CREATE = chatTool('create_issue', 'Opens an issue.');
export const TOOLS = [READ, CREATE, chatTool('send_message', 'Sends a message.')];
export const USER = { role: 'user' as const, content: 'Open an issue' };
export const SEARCH = { id: 'call_0', name: 'tool_search', input: { query: 'issue' } };

const { start, told, planOf } = openaiHost({
  format: 'openai-chat',
  tools: TOOLS,
  dialect: {
    whole: chatWhole,
    write: (part) => `data: ${JSON.stringify(part)}\n\n`,
    end: 'data: [DONE]\n\n',
  },
  wrap: (client: OpenAI, options: NonNullable<Parameters<typeof withToolSearch>[1]>) => withToolSearch(client, options),
});

/** What the plan adds to a request, as the wire is to write it. */
export function planned(form: FormName): { own: readonly object[]; note: string } {
  const { own, note = '' } = planOf(form);
  const functions = own.map(({ name, description, schema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return { own: functions, note };
}

export { start, told };
