// The client that the suite's client scenarios test: an SDK client in front of the proxy, whose hub is what meets the suite's server.
// The suite starts it with the server's address, and names the scenario and what it needs in the environment.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { createHub, createMemoryTokenStore, createOAuthClient, createProxy, McpError } from '@quartermaster/mcp';

const url = process.argv[2];
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '';
const isModern = revision >= '2026';

const REDIRECT = 'http://localhost:3000/callback';
/** The address that the suite's authorization servers know. */
const METADATA = 'https://conformance-test.local/client-metadata.json';
/** How often one call may send the user to sign in. */
const MOST_SIGN_INS = 3;

const registered =
  given.client_id === undefined ? true : { clientId: given.client_id, clientSecret: given.client_secret };
const oauth = createOAuthClient({
  tokens: createMemoryTokenStore(),
  redirectUrl: REDIRECT,
  clientMetadataUrl: METADATA,
});
/** @type {import('@quartermaster/mcp').ServerSettings} */
const settings = { type: 'http', url, ...(scenario.startsWith('auth/') ? { oauth: registered } : {}) };
const hub = createHub({ servers: { suite: settings }, oauth });
const proxy = createProxy({ hub, form: 'inline', waits: { greetingMs: 20_000, listMs: 20_000, callMs: 20_000 } });
const client = new Client(
  { name: 'conformance-client', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true }, applyDefaults: true } },
    versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' },
  },
);
client.setRequestHandler('elicitation/create', () => ({
  action: 'accept',
  content: scenario.startsWith('sep-2322') ? { confirmed: true } : {},
}));

try {
  await run();
} finally {
  await client.close();
  await proxy.close();
  await hub.close();
}

async function run() {
  if (scenario.startsWith('auth/')) await whileSigningIn(() => hub.connect('suite'));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await proxy.connect(theirs);
  await client.connect(ours);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name.replace(/^suite__/, ''));
  const call = (name, input = {}) => client.callTool({ name: `suite__${name}`, arguments: input });
  switch (scenario) {
    case 'initialize':
    case 'json-schema-ref-no-deref':
      return;
    case 'tools_call':
      return void (await call(names[0], { a: 2, b: 3 }));
    case 'http-standard-headers':
      return readEverything(names, call);
    case 'http-custom-headers':
      for (const { name, arguments: input } of given.toolCalls ?? []) await call(name, input);
      return;
    case 'json-schema-2020-12-preservation': {
      const { inputSchema } = tools.find(({ name }) => name.endsWith('json_schema_2020_12_tool'));
      return void (await call('json_schema_echo', { schema: inputSchema }));
    }
    case 'sep-2322-client-request-state': {
      // One call of another tool while the first one waits for an answer.
      const asked = call('test_mrtr_echo_state');
      await call('test_mrtr_unrelated');
      await asked;
      await call('test_mrtr_no_state');
      return void (await call('test_mrtr_no_result_type'));
    }
    default:
      for (const name of names) {
        const tool = hub.snapshot().get(`suite/${name}`);
        if (scenario.startsWith('auth/')) await whileSigningIn(() => hub.call({ tool, arguments: {} }));
        else await call(name);
      }
  }
}

async function readEverything(names, call) {
  for (const name of names) await call(name);
  const { resources } = await client.listResources().catch(() => ({ resources: [] }));
  for (const { uri } of resources) await client.readResource({ uri });
  const { prompts } = await client.listPrompts().catch(() => ({ prompts: [] }));
  for (const { name } of prompts) await client.getPrompt({ name });
}

/** Does what a person does in a browser, as often as the server asks for it. */
async function whileSigningIn(act) {
  for (let times = 0; ; times += 1) {
    try {
      return await act();
    } catch (error) {
      const address = error instanceof McpError ? error.context.authorizationUrl : undefined;
      if (address === undefined || times >= MOST_SIGN_INS) throw error;
      const response = await fetch(String(address), { redirect: 'manual' });
      await hub.finishSignIn(new URL(response.headers.get('location')).searchParams);
    }
  }
}
