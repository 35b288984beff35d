// What the model reads in each form, and how long it takes to put a request together.
import { createSnapshot, createToolbox, parseTools } from '@quartermaster/core';
import { DEFAULT_GATE_SETTINGS } from '@quartermaster/core/gate';
import { anthropicWire } from '@quartermaster/wires/anthropic';
import { openaiChatWire } from '@quartermaster/wires/openai-chat';
import { converse, planFor, RESULT } from './disclosure/converse.mjs';
import { drawDisclosure, renderDisclosure } from './disclosure/render.mjs';
import { ASSEMBLED_TOOLS, CONVERSATIONS, LIMITS, SAMPLES, TARGETS, TURNS } from './disclosure/settings.mjs';
import { readServers } from './read-servers.mjs';
import { median, percentile } from './statistics.mjs';
import { createRandom, synthesiseTools } from './synthesise-tools.mjs';

/** For how many turns a conversation stays with a tool. With 1 it is as hard as can be: every turn needs a search. */
const TURNS_PER_TOOL = [1, 3];

/** How much of a description a stub may show, in characters: what each bound would save. */
const STUB_BOUNDS = [100, 150, 200, 250, 280, 300, 400, 600, 1_000, Number.POSITIVE_INFINITY];

const ON = { ...DEFAULT_GATE_SETTINGS, rule: /** @type {const} */ ({ kind: 'on' }) };
const OFF = { ...DEFAULT_GATE_SETTINGS, rule: /** @type {const} */ ({ kind: 'off' }) };

export async function measureDisclosure(options) {
  const catalog = loadCatalog(options.path);
  const scripts = [];
  for (const turnsPerTool of TURNS_PER_TOOL) {
    const conversations = planConversations(catalog.snapshot, turnsPerTool);
    const inline = await measureForm(catalog.snapshot, { name: 'inline' }, conversations);
    const rows = [];
    for (const name of Object.keys(TARGETS)) {
      for (const prefetch of [false, true]) {
        process.stderr.write(`${name}${prefetch ? ' with prefetch' : ''}, ${turnsPerTool} turns with a tool …\n`);
        rows.push(await measureForm(catalog.snapshot, { name, prefetch }, conversations));
      }
    }
    scripts.push({ turnsPerTool, inline, rows });
  }
  const bounds = await measureBounds(catalog.snapshot, scripts[0].inline);
  const times = await measureAssembly();
  const record = catalog.isSample ? 'disclosure' : 'disclosure-real';
  return {
    markdown: renderDisclosure({ catalog, scripts, bounds, times }),
    pictures: { [`${record}.svg`]: drawDisclosure(scripts) },
    record,
  };
}

function loadCatalog(path) {
  const { servers, isSample } = readServers(path);
  const definitions = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
  const snapshot = createSnapshot(parseTools(definitions).tools, { onDuplicate: 'first' });
  return { snapshot, servers: servers.length, isSample };
}

/** The same ones every time: tools that have nothing to do with each other, each asked for in words of its description. */
function planConversations(snapshot, turnsPerTool) {
  const random = createRandom(20261115);
  const pool = snapshot.tools.filter((tool) => wordsOf(tool).length >= 3);
  const pick = () => {
    const tool = pool[Math.floor(random() * pool.length)];
    return { tool, name: snapshot.modelName(tool), words: wordsOf(tool).slice(0, 10).join(' ') };
  };
  return Array.from({ length: CONVERSATIONS }, () => {
    const tools = Array.from({ length: Math.ceil(TURNS / turnsPerTool) }, pick);
    return Array.from({ length: TURNS }, (_, turn) => tools[Math.floor(turn / turnsPerTool)]);
  });
}

function wordsOf(tool) {
  return tool.description.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The hardest conversations with stubs that show less and more. */
async function measureBounds(snapshot, inline) {
  const conversations = planConversations(snapshot, 1);
  const rows = [];
  for (const bound of STUB_BOUNDS) {
    process.stderr.write(`stubs with ${bound} characters …\n`);
    const options = { stubDescriptionLength: bound };
    const less = async (prefetch, key) =>
      1 - (await measureForm(snapshot, { name: 'stub', prefetch }, conversations, options))[key] / inline[key];
    rows.push({
      bound,
      ...shownWhole(snapshot, options),
      perRequest: await less(false, 'perRequest'),
      perTurn: await less(false, 'perTurn'),
      withPrefetch: await less(true, 'perTurn'),
    });
  }
  return rows;
}

/** Which share of the descriptions a stub shows whole, and which at least as far as the end of the first sentence or line. */
function shownWhole(snapshot, options) {
  const planWith = (more) => createToolbox({ tools: snapshot, settings: ON, form: 'stub', ...more }).plan(LIMITS);
  const plan = planWith(options);
  const { shown } = plan;
  const share = (isShown) => shown.filter(isShown).length / shown.length;
  return {
    // The same settings give the same plan.
    isDefault: plan === planWith({}),
    whole: share(({ tool, description }) => description === tool.description),
    first: share(({ tool, description }) => {
      const [sentence = ''] = /^.*?(?:[.!?](?=\s)|[。！？]|$)/mu.exec(tool.description.trimStart()) ?? [];
      return description.trimStart().startsWith(sentence.trimEnd());
    }),
  };
}

async function measureForm(snapshot, form, conversations, options = {}) {
  const count = { tokens: 0, requests: 0, searches: 0, turns: 0, unfound: 0 };
  const toolbox = createToolbox({ tools: snapshot, settings: form.name === 'inline' ? OFF : ON, ...options });
  for (const turns of conversations) await converse({ toolbox, form, turns, count });
  return {
    ...form,
    perRequest: count.tokens / count.requests,
    perTurn: count.tokens / count.turns,
    requests: count.requests / count.turns,
    searches: count.searches / count.turns,
    unfound: count.unfound,
  };
}

/** Plan, memory, view and rendering of the next request of a conversation that is ten turns long. */
async function measureAssembly() {
  const definitions = synthesiseTools(ASSEMBLED_TOOLS).flatMap((chunk) => JSON.parse(chunk));
  const snapshot = createSnapshot(parseTools(definitions).tools, { maxTools: ASSEMBLED_TOOLS });
  const toolbox = createToolbox({ tools: snapshot, settings: ON });
  const [turns] = planConversations(snapshot, 1);
  const rows = [];
  for (const name of Object.keys(TARGETS)) {
    process.stderr.write(`assembling, ${name} …\n`);
    const count = { tokens: 0, requests: 0, searches: 0, turns: 0, unfound: 0 };
    const request = await converse({ toolbox, form: { name }, turns, count });
    rows.push({ name, wire: 'Messages', ...timeAssembly(anthropicWire, { toolbox, name, request }) });
    if (name === 'native') continue;
    rows.push({
      name,
      wire: 'Chat Completions',
      ...timeAssembly(openaiChatWire, { toolbox, name, request: chatRequest(turns) }),
    });
  }
  return rows;
}

function timeAssembly(wire, { toolbox, name, request }) {
  const assemble = () => {
    const plan = planFor(toolbox, name);
    const view = toolbox.view(plan, wire.recall(request, plan));
    return wire.render(request, view, (found, before) => toolbox.tell({ plan, found, before }));
  };
  for (let warm = 0; warm < 100; warm += 1) assemble();
  const times = Array.from({ length: SAMPLES }, () => {
    const started = performance.now();
    assemble();
    return performance.now() - started;
  });
  return { p50: median(times), p99: percentile(times, 0.99) };
}

function chatRequest(turns) {
  const messages = turns.flatMap(({ name, words }, index) => [
    { role: 'user', content: `Please do this for me: ${words}` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `call_${index}`, type: 'function', function: { name, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `call_${index}`, content: RESULT },
    { role: 'assistant', content: 'Done.' },
  ]);
  return { model: 'some-model', messages: [...messages, { role: 'user', content: 'And now?' }] };
}
