import { createBm25Searcher, createSnapshot, type Snapshot } from '@quartermaster/core';
import { createTool } from '@quartermaster/core/catalog';
import { createHybridSearcher } from '@quartermaster/core/search';
import { describe, expect, it } from 'vitest';
import { embeddedModel } from './embedded-model.ts';

const TOOLS: readonly (readonly [name: string, description: string])[] = [
  ['send_message', 'Send a message to a channel or a person in the team chat'],
  ['create_invoice', 'Create an invoice for a customer'],
  ['refund_payment', 'Refund a payment in full or in part'],
  ['get_forecast', 'Get the weather forecast for a location'],
  ['create_event', 'Create an event in a calendar'],
  ['list_files', 'List the files in a folder'],
  ['delete_branch', 'Delete a branch of a repository'],
  ['translate_text', 'Translate a text into another language'],
  ['play_track', 'Play a track or an album'],
  ['get_route', 'Get driving directions between two places'],
  ['query_database', 'Run a read-only SQL query'],
  ['turn_on_light', 'Switch a light on'],
];

function snapshot(): Snapshot {
  return createSnapshot(TOOLS.map(([name, description]) => createTool({ name, description })));
}

describe('hybrid search with the embedded model', () => {
  const hybrid = createHybridSearcher(snapshot(), { embedder: embeddedModel() });
  const bm25 = createBm25Searcher(snapshot());

  it.each([
    ['will it rain in Lisbon tomorrow', 'get_forecast'],
    ['how do I drive from Berlin to Hamburg', 'get_route'],
    ['give the customer his money back', 'refund_payment'],
    ['let everybody know that the build is broken', 'send_message'],
    ['put on some jazz', 'play_track'],
  ])('finds «%s» without its words', async (query, name) => {
    expect((await hybrid.search({ query, limit: 2 })).hits.map(({ tool }) => tool.name)).toContain(name);
  });

  it.each([
    ['erstelle eine Rechnung für den Kunden', 'create_invoice'],
    ['crear una factura para el cliente', 'create_invoice'],
    ['allume la lumière du salon', 'turn_on_light'],
    ['给团队发送消息', 'send_message'],
    ['カレンダーに予定を追加して', 'create_event'],
    ['明天的天气预报', 'get_forecast'],
    ['crie uma fatura para o cliente', 'create_invoice'],
    ['accendi la luce', 'turn_on_light'],
    ['отправь сообщение команде', 'send_message'],
    ['내일 날씨 예보를 알려 줘', 'get_forecast'],
  ])('finds «%s» across languages, where words alone find nothing', async (query, name) => {
    expect((await hybrid.search({ query, limit: 2 })).hits.map(({ tool }) => tool.name)).toContain(name);
    expect((await bm25.search({ query, limit: 2 })).hits.map(({ tool }) => tool.name)).not.toContain(name);
  });

  it.each(['say this in Spanish', 'song of the Beatles'])(
    'sees that something fits «%s» where all tools are of one server and end in the same words',
    async (query) => {
      const end = 'Part of the Acme platform API; needs an access token of the workspace with the right scopes.';
      const tools = TOOLS.map(([name, text]) => createTool({ name, server: 'acme', description: `${text}. ${end}` }));
      const alike = createHybridSearcher(createSnapshot(tools), { embedder: embeddedModel() });
      expect((await alike.search({ query })).verdict).toBe('match');
      expect((await alike.search({ query: 'sequence the genome of a tomato' })).verdict).toBe('none');
    },
  );

  it('says that nothing fits what no tool can do', async () => {
    const { verdict } = await hybrid.search({ query: 'sequence the genome of a tomato' });
    expect(verdict).toBe('none');
  });

  it.each(['zzzz qqqq', 'xkcdw', 'qqqq'])('finds nothing for «%s», of which no word is known', async (query) => {
    expect(await hybrid.search({ query })).toMatchObject({ hits: [], verdict: 'none', confidence: 0 });
  });
});
