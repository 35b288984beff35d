import type { FormName } from '@quartermaster/core/disclosure';
import type OpenAI from 'openai';
import { openaiHost } from '../internal/openai-host.fixture.ts';
import { responseTool } from './response-script.fixture.ts';
import { responsesWhole } from './whole.ts';
import { withToolSearch } from './wrap-openai.ts';

export const READ = responseTool('read_file', 'Reads a file.');
export const CREATE = responseTool('create_issue', 'Opens an issue.');
export const TOOLS = [READ, CREATE, responseTool('send_message', 'Sends a message.')];

const { start, told, planOf } = openaiHost({
  format: 'openai-responses',
  tools: TOOLS,
  dialect: {
    whole: responsesWhole,
    write: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    end: '',
  },
  wrap: (client: OpenAI, options: NonNullable<Parameters<typeof withToolSearch>[1]>) => withToolSearch(client, options),
});

/** What the plan adds to a request, as the wire is to write it. */
export function planned(form: FormName): { own: readonly object[]; note: string } {
  const { own, note = '' } = planOf(form);
  const written = own.map(({ name, description, schema: parameters }) =>
    form === 'native'
      ? { type: 'tool_search', execution: 'client', description, parameters }
      : { type: 'function', name, description, parameters, strict: false },
  );
  return { own: written, note };
}

export { start, told };
