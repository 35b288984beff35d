// Many MCP servers behind one: what the hub and the proxy cost over the SDK's client alone, which does the same in the same run.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { DEFAULT_GATE_SETTINGS, estimateTokens } from '@quartermaster/core/gate';
import { createArgumentChecker } from '@quartermaster/host/schema';
import { createHub, createProxy } from '@quartermaster/mcp';
import { drawBars } from './draw-bars.mjs';
import { readServers } from './read-servers.mjs';
import { heldBytes, median } from './statistics.mjs';

/** The budget for names to search for, set here to what it is by default. */
const LISTING_TOKENS = 1_500;

/** The most that each may be. */
const TARGETS = { ratio: 2, megabytes: 100, addedMs: 1, tokens: 350 };

/** Rounds of both sides in turn, so that whatever else the machine does hits them alike. Those to warm up don't count. */
const READY = { rounds: 15, warm: 3 };
const MEMORY = { rounds: 5 };
const CALLS = { rounds: 9, warm: 2, calls: 400, tools: 20 };

/** Keywords of a schema that an empty object satisfies. */
const UNDEMANDING = ['$schema', 'additionalProperties', 'description', 'properties', 'required', 'title', 'type'];

const ON = { ...DEFAULT_GATE_SETTINGS, rule: /** @type {const} */ ({ kind: 'on' }) };
const CLIENT = { name: 'bench', version: '1.0.0' };

export async function measureMcp(options) {
  const catalog = loadServers(options.path);
  const facts = {
    ready: await measureReady(catalog.servers),
    memory: await measureMemory(catalog.servers),
    calls: await measureCalls(catalog.servers),
    listing: await measureListing(catalog.servers),
  };
  const rows = judge(facts);
  const record = catalog.isSample ? 'mcp' : 'mcp-real';
  return {
    markdown: render({ catalog, rows, facts }),
    pictures: { [`${record}.svg`]: drawPicture(facts) },
    record,
  };
}

/** Listings are kept as the text that a server would send. */
function loadServers(path) {
  const { servers: lines, isSample } = readServers(path);
  const servers = lines.map(({ server, tools }, index) => ({
    name: String(server ?? index),
    listing: JSON.stringify({ tools }),
    count: tools.length,
  }));
  return { servers, isSample };
}

/** Says again what a real server said once. Parsed again for each request, as if it came over a wire. */
function replay({ listing }) {
  const server = new Server({ name: 'replay', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.fallbackRequestHandler = async ({ method }) =>
    method === 'tools/list' ? JSON.parse(listing) : { content: [{ type: 'text', text: 'ok' }] };
  return server;
}

async function connectBare(server) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await replay(server).connect(theirs);
  const client = new Client(CLIENT);
  await client.connect(ours);
  return client;
}

function makeHub(servers) {
  return createHub({
    servers: Object.fromEntries(
      servers.map((server) => [server.name, { type: 'in-process', create: () => replay(server) }]),
    ),
  });
}

/** Connects to all servers at once and lists their tools: the client alone, and the hub with its catalog made and hashed. */
async function measureReady(servers) {
  say(`${servers.length} servers, until all tools are there …`);
  const sides = { bare: listBare, hub: listHub };
  const times = { bare: [], hub: [] };
  const last = {};
  for (let round = -READY.warm; round < READY.rounds; round += 1) {
    for (const name of inTurn(['bare', 'hub'], round)) {
      const started = performance.now();
      const { tools, refused, close } = await sides[name](servers);
      const ms = performance.now() - started;
      await close();
      last[name] = { tools, refused };
      if (round >= 0) times[name].push(ms);
    }
  }
  const ratios = times.hub.map((ms, round) => ms / times.bare[round]);
  return { ratio: median(ratios), bareMs: median(times.bare), hubMs: median(times.hub), ...last };
}

async function listBare(servers) {
  const clients = await Promise.all(servers.map(connectBare));
  const lists = await Promise.all(
    clients.map((client) =>
      client.listTools().then(
        ({ tools }) => tools.length,
        () => undefined,
      ),
    ),
  );
  return {
    tools: lists.reduce((sum, count) => sum + (count ?? 0), 0),
    refused: lists.filter((count) => count === undefined).length,
    close: () => Promise.all(clients.map((client) => client.close())),
  };
}

async function listHub(servers) {
  const hub = makeHub(servers);
  await hub.start();
  const { tools, hash } = hub.snapshot();
  if (hash === '') throw new Error('The catalog has no hash');
  return { tools: tools.length, refused: hub.unavailable().length, close: () => hub.close() };
}

/** What a hub that is ready holds, and what the same listings hold as parsed JSON. */
async function measureMemory(servers) {
  const rounds = [];
  for (let round = 0; round < MEMORY.rounds; round += 1) {
    say(`memory, round ${round + 1} …`);
    const raw = await heldBy(async () => servers.map(({ listing }) => JSON.parse(listing)));
    const hub = await heldBy(
      async () => {
        const made = makeHub(servers);
        await made.start();
        made.snapshot();
        return made;
      },
      (made) => made.close(),
    );
    rounds.push({ raw, hub, over: hub - raw });
  }
  const middle = (key) => median(rounds.map((round) => round[key])) / 1e6;
  return { rawMb: middle('raw'), hubMb: middle('hub'), overMb: middle('over') };
}

async function heldBy(make, close = (_made) => undefined) {
  const before = await heldBytes();
  const value = await make();
  const bytes = (await heldBytes()) - before;
  await close(value);
  return bytes;
}

/** One call after the other, now directly, now wrapped in `tool_call` at the proxy: tools that need no arguments, of many servers. */
async function measureCalls(servers) {
  say('calls …');
  const hub = makeHub(servers);
  const proxy = createProxy({
    hub,
    waits: { greetingMs: 60_000, listMs: 60_000 },
    settings: ON,
    checkArguments: createArgumentChecker(),
  });
  const client = await connectProxy(proxy);
  const chosen = chooseTools(hub.snapshot());
  const direct = new Map();
  for (const { server } of chosen) {
    if (!direct.has(server)) direct.set(server, await connectBare(servers.find(({ name }) => name === server)));
  }
  const ways = {
    direct: ({ server, name }) => direct.get(server).callTool({ name, arguments: {} }),
    proxied: ({ modelName }) => client.callTool({ name: 'tool_call', arguments: { name: modelName, arguments: {} } }),
  };
  const rounds = { direct: [], proxied: [], added: [] };
  for (let round = -CALLS.warm; round < CALLS.rounds; round += 1) {
    const times = { direct: [], proxied: [] };
    for (let call = 0; call < CALLS.calls; call += 1) {
      for (const way of inTurn(['direct', 'proxied'], call)) {
        const started = performance.now();
        const result = await ways[way](chosen[call % chosen.length]);
        times[way].push(performance.now() - started);
        if (result.content[0].text !== 'ok') throw new Error(`A call failed: ${result.content[0].text}`);
      }
    }
    if (round < 0) continue;
    const [directMs, proxiedMs] = [median(times.direct), median(times.proxied)];
    rounds.direct.push(directMs);
    rounds.proxied.push(proxiedMs);
    rounds.added.push(proxiedMs - directMs);
  }
  await Promise.all([client.close(), ...[...direct.values()].map((one) => one.close())]);
  await proxy.close();
  await hub.close();
  return { directMs: median(rounds.direct), proxiedMs: median(rounds.proxied), addedMs: median(rounds.added) };
}

/** Spread over the catalog: tools whose schemas ask for nothing, by `required` or in any other way. */
function chooseTools(snapshot) {
  const free = snapshot.tools.filter(
    ({ schema }) =>
      (schema.required ?? []).length === 0 && Object.keys(schema).every((key) => UNDEMANDING.includes(key)),
  );
  const step = Math.max(1, Math.floor(free.length / CALLS.tools));
  return free
    .filter((_, index) => index % step === 0)
    .slice(0, CALLS.tools)
    .map((tool) => ({ server: tool.server, name: tool.name, modelName: snapshot.modelName(tool) }));
}

async function connectProxy(proxy) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await proxy.connect(theirs);
  const client = new Client(CLIENT);
  await client.connect(ours);
  return client;
}

/**
 * What a model reads of `tools/list`, by characters / 4: the bridge's tools as they are, and with no names to search for; beside
 * them tools that say themselves that they are never to be deferred.
 */
async function measureListing(servers) {
  const count = async (listingTokens) => {
    const hub = makeHub(servers);
    const proxy = createProxy({ hub, waits: { greetingMs: 60_000, listMs: 60_000 }, settings: ON, listingTokens });
    const client = await connectProxy(proxy);
    const { tools } = await client.listTools();
    await client.close();
    await proxy.close();
    await hub.close();
    const [own, shown] = [tools.filter(isBridge), tools.filter((tool) => !isBridge(tool))];
    return { own: estimateTokens(JSON.stringify(own)), shown: shown.length };
  };
  const inline = servers.reduce((sum, { listing }) => sum + estimateTokens(listing), 0);
  const { own: whole, shown } = await count(LISTING_TOKENS);
  return { whole, shown, own: (await count(0)).own, inline };
}

function isBridge({ name }) {
  return ['tool_search', 'tool_describe', 'tool_call'].includes(name);
}

function judge({ ready, memory, calls, listing }) {
  const mostTokens = TARGETS.tokens + LISTING_TOKENS;
  return [
    {
      what: 'all tools are there, against listing them with the SDK alone',
      value: `${ready.ratio.toFixed(2)} ×`,
      target: `≤ ${TARGETS.ratio} ×`,
      isMet: ready.ratio <= TARGETS.ratio,
    },
    {
      what: 'memory over the raw listings',
      value: `${memory.overMb.toFixed(1)} MB`,
      target: `≤ ${TARGETS.megabytes} MB`,
      isMet: memory.overMb <= TARGETS.megabytes,
    },
    {
      what: 'one proxied call over the same call made directly',
      value: `${calls.addedMs.toFixed(3)} ms`,
      target: `≤ ${TARGETS.addedMs} ms`,
      isMet: calls.addedMs <= TARGETS.addedMs,
    },
    {
      what: "the proxy's own listing, without the names to search for",
      value: `${listing.own} tokens`,
      target: `≤ ${TARGETS.tokens} tokens`,
      isMet: listing.own <= TARGETS.tokens,
    },
    {
      what: 'the same with them',
      value: `${thousands(listing.whole)} tokens`,
      target: `≤ ${TARGETS.tokens} + ${thousands(LISTING_TOKENS)} tokens`,
      isMet: listing.whole <= mostTokens,
    },
  ];
}

function render({ catalog, rows, facts }) {
  const { servers, isSample } = catalog;
  const { ready, memory, calls, listing } = facts;
  const origin = isSample ? 'services (the sample catalog)' : 'real servers';
  return [
    '# MCP: many servers behind one',
    '',
    `${servers.length} ${origin} with ${thousands(servers.reduce((sum, { count }) => sum + count, 0))} tools, replayed in this process; the SDK's own client, the hub and the proxy take turns.`,
    '',
    '| what | measured | target | result |',
    '|---|---:|---:|---|',
    ...rows.map(({ what, value, target, isMet }) => `| ${what} | ${value} | ${target} | ${isMet ? 'met' : 'missed'} |`),
    '',
    `- **Ready**: connected to all servers at once, every tool listed; the hub has also read, pinned and hashed them and made one catalog. SDK ${ready.bareMs.toFixed(0)} ms for ${thousands(ready.bare.tools)} tools${refusedOf(ready.bare)}; hub ${ready.hubMs.toFixed(0)} ms for ${thousands(ready.hub.tools)}${refusedOf(ready.hub)}. All figures, including the ratio, are medians of ${READY.rounds} rounds, after ${READY.warm} to warm up.`,
    `- **Memory** after collecting garbage, median of ${MEMORY.rounds}: a hub that is ready holds ${memory.hubMb.toFixed(1)} MB, the listings as parsed JSON ${memory.rawMb.toFixed(1)} MB. The servers that replay the listings count as part of the hub; the texts that they send count in neither figure.`,
    `- **Calls**: ${calls.directMs.toFixed(3)} ms directly, ${calls.proxiedMs.toFixed(3)} ms through \`tool_call\` (unwrapped, permissions and arguments checked, sent on). ${CALLS.calls} calls each way, alternating, of ${CALLS.tools} tools on many servers; the median of each round, and the median of ${CALLS.rounds} rounds.`,
    `- **Listing**: what \`tools/list\` answers in the form \`bridge\`, characters / 4. All definitions would be ${thousands(listing.inline)} tokens.${listing.shown === 0 ? '' : ` Not counted: tools that are marked as never deferred and listed as well (${listing.shown}).`} The budget for names to search for is ${thousands(LISTING_TOKENS)} tokens.`,
  ].join('\n');
}

function refusedOf({ refused }) {
  return refused === 0 ? '' : ` (${refused} servers' listings refused)`;
}

function drawPicture({ ready, calls, listing }) {
  return drawBars([
    {
      title: 'Until all tools are there, ms',
      bars: [
        { label: 'SDK alone', value: ready.bareMs },
        { label: 'quartermaster', value: ready.hubMs },
      ],
    },
    {
      title: 'One call, ms',
      bars: [
        { label: 'directly', value: calls.directMs },
        { label: 'quartermaster', value: calls.proxiedMs },
      ],
    },
    {
      title: 'Tokens of tools/list',
      bars: [
        { label: 'all definitions', value: listing.inline },
        { label: 'quartermaster', value: listing.whole },
      ],
    },
  ]);
}

/** The other one first in every other round. */
function inTurn(names, round) {
  return Math.abs(round) % 2 === 0 ? names : [...names].reverse();
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US');
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
