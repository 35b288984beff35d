// What the model reads in each form, and how long it takes to put a request together.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  createSnapshot,
  createToolbox,
  DEFAULT_GATE_SETTINGS,
  estimateTokens,
  FORMS,
  parseTools,
  runWhole,
  writeTool,
} from '@quartermaster/core';
import { anthropicWhole, anthropicWire } from '@quartermaster/wires/anthropic';
import { openaiChatWire } from '@quartermaster/wires/openai-chat';
import { drawBars } from './draw-bars.mjs';
import { median, percentile } from './statistics.mjs';
import { synthesiseTools } from './synthesise-tools.mjs';

const CONVERSATIONS = 30;
const TURNS = 10;
/** For how many turns a conversation stays with a tool. With 1 it is as hard as can be: every turn needs a search. */
const TURNS_PER_TOOL = [1, 3];
/** After which a turn is given up: then the model could not find the tool even by its name. */
const MOST_SEARCHES = 3;
const ASSEMBLED_TOOLS = 10_000;
const SAMPLES = 500;

/** How much of a description a stub may show, in characters: what each bound would save. */
const STUB_BOUNDS = [100, 150, 200, 250, 280, 300, 400, 600, 1_000, Number.POSITIVE_INFINITY];

/** The least that a form must save against all definitions inline, and the most that assembling a request may take. */
const TARGETS = { stub: 0.75, bridge: 0.98, load: 0.98, native: 0.98 };
const TARGET_MS = 1;

const ON = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } };
const OFF = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'off' } };
const LIMITS = { contextTokens: 200_000, source: 'override' };
/** What a tool answers: about 150 tokens. */
const RESULT = JSON.stringify({
  ok: true,
  items: Array.from({ length: 12 }, (_, id) => ({ id, title: `Item number ${id}` })),
});

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
    markdown: render({ catalog, scripts, bounds, times }),
    pictures: { [`${record}.svg`]: drawPicture(scripts) },
    record,
  };
}

/** Lines of {server, tools}, or the services of the sample catalog. */
function loadCatalog(path) {
  const services = fileURLToPath(new URL('../examples/catalog/services/', import.meta.url));
  const servers =
    path === undefined
      ? readdirSync(services).map((name) => JSON.parse(readFileSync(`${services}${name}`, 'utf8')))
      : readLines(path);
  const definitions = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
  const snapshot = createSnapshot(parseTools(definitions).tools, { onDuplicate: 'first' });
  return { snapshot, servers: servers.length, isSample: path === undefined };
}

function readLines(path) {
  const bytes = readFileSync(path);
  const lines = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (!lines.every((line) => Array.isArray(line.tools))) throw new Error(`${path}: each line must be {server, tools}`);
  return lines;
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

/** One conversation, client and model scripted, everything between them real. Gives the client's last request. */
async function converse({ toolbox, form, turns, count }) {
  const plan = planFor(toolbox, form.name);
  const declared =
    plan.kind === 'inline' ? plan.shown.map(({ tool, name }) => writeTool(tool, 'anthropic', { name })) : [];
  let request = { model: 'some-model', max_tokens: 1_000, messages: [], tools: declared };
  const say = (role, content) => {
    request = { ...request, messages: [...request.messages, { role, content }] };
  };
  for (const turn of turns) {
    const model = scriptModel({ turn, plan, count });
    count.turns += 1;
    say('user', `Please do this for me: ${turn.words}`);
    for (;;) {
      const message = await runWhole({
        wire: anthropicWire,
        whole: anthropicWhole,
        toolbox,
        plan,
        request,
        prefetch: form.prefetch === true,
        upstream: async (sent) => {
          count.requests += 1;
          count.tokens += readTokens(sent, plan.snapshot);
          return model(sent);
        },
      });
      say('assistant', message.content);
      const calls = message.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) break;
      say(
        'user',
        calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT })),
      );
    }
  }
  return request;
}

/** The Messages API has no block for a description, so that the bridge does without `tool_describe`, as in the adapter. */
function planFor(toolbox, form) {
  return toolbox.plan(LIMITS, form === 'inline' ? {} : { form: FORMS[form], describe: false });
}

/** Searches in the user's words until it has seen the tool, then by its name; calls it once; says that it is done. */
function scriptModel({ turn, plan, count }) {
  let searches = 0;
  let isCalled = false;
  const search = plan.own?.find((own) => own.role === 'search')?.name;
  return (request) => {
    if (isCalled || searches >= MOST_SEARCHES) {
      if (!isCalled) count.unfound += 1;
      return modelMessage([{ type: 'text', text: 'Done, here is what I found out for you.' }], 'end_turn');
    }
    const id = `toolu_${count.requests}`;
    if (canCall(request, turn.name, plan)) {
      isCalled = true;
      return modelMessage([{ type: 'tool_use', id, ...callOf(turn, plan) }], 'tool_use');
    }
    searches += 1;
    count.searches += 1;
    const query = searches > 1 || isNamed(request.messages, turn.name) ? turn.name : turn.words;
    return modelMessage([{ type: 'tool_use', id, name: search, input: { query } }], 'tool_use');
  };
}

function canCall(request, name, plan) {
  if (plan.kind === 'inline') return true;
  switch (plan.form.reveal) {
    case 'append':
      return request.tools.some((tool) => tool.name === name);
    case 'native':
      return references(request.messages).includes(name);
    case 'answer':
      return isNamed(request.messages, name);
  }
}

/** Names of tools are letters, digits, `_` and `-`, so that they need no escape. */
function isNamed(messages, name) {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(JSON.stringify(messages));
}

function callOf({ tool, name }, plan) {
  const input = Object.fromEntries((tool.schema.required ?? []).map((key) => [key, 'some value']));
  const isWrapped = plan.form?.invoke === 'wrapped';
  return isWrapped ? { name: 'tool_call', input: { name, arguments: input } } : { name, input };
}

function modelMessage(content, stopReason) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'some-model',
    content,
    stop_reason: stopReason,
    usage,
  };
}

const definitionTokens = new WeakMap();

/** What the model reads of a request. A marked definition is read where it is referred to, as often as that happens. */
function readTokens({ system, tools = [], messages }, snapshot) {
  let tokens = estimateTokens(JSON.stringify(messages)) + estimateTokens(system ?? '');
  for (const tool of tools) if (tool.defer_loading !== true) tokens += tokensOf(tool);
  for (const name of references(messages)) tokens += tokensOf(writeTool(snapshot.resolve(name), 'anthropic', { name }));
  return tokens;
}

function tokensOf(definition) {
  const known = definitionTokens.get(definition) ?? estimateTokens(JSON.stringify(definition));
  definitionTokens.set(definition, known);
  return known;
}

function references(messages) {
  return messages
    .flatMap((message) => (Array.isArray(message.content) ? message.content : []))
    .flatMap((block) => (block.type === 'tool_result' && Array.isArray(block.content) ? block.content : []))
    .flatMap((block) => (block.type === 'tool_reference' ? [block.tool_name] : []));
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

function render({ catalog, scripts, bounds, times }) {
  const { snapshot, servers, isSample } = catalog;
  return [
    '# What the model reads',
    '',
    `${thousands(snapshot.tools.length)} tools of ${servers} ${isSample ? 'services (the sample catalog)' : 'real servers'}. ${CONVERSATIONS} scripted conversations of ${TURNS} turns over the Messages API. The user asks for a tool in words of its description; the model searches until it has seen the tool (the second time by its name), calls it, and answers. Counted is all that the model reads, in every request: prompt, definitions, history, answers to searches; characters / 4. A referenced definition counts wherever it is referred to.`,
    '',
    "A *turn* is everything from a message of the user to the answer that ends it, with all of its requests added up: two when the tool is known (one that the model answers with the call, one that it answers with text), and one more for each search. So a form that needs a search reads its prefix three times where inline reads it twice, and tokens per turn count that against it; tokens per request don't. Nothing is taken off for what a provider's cache makes cheaper.",
    '',
    ...scripts.flatMap((script) => renderScript(script, isSample)),
    '## What a stub shows of a description',
    '',
    `Another tool in every turn, stubs with descriptions up to a number of characters; a longer one is cut behind a sentence, or a word, and told whole in the answer to a search. The default is set in bold.`,
    '',
    '| characters | shown whole | first sentence whole | less per request | less per turn | less per turn with prefetch |',
    '|---:|---:|---:|---:|---:|---:|',
    ...bounds.map(
      (row) =>
        `| ${boundOf(row)} | ${percent(row.whole)} | ${percent(row.first)} | ${percent(row.perRequest)} | ${percent(row.perTurn)} | ${percent(row.withPrefetch)} |`,
    ),
    '',
    '## Putting a request together',
    '',
    `${thousands(ASSEMBLED_TOOLS)} synthetic tools in the catalog, a conversation of ${TURNS} turns with as many searches; plan, memory, view and rendering, once the snapshot is known; ${SAMPLES} times, wall clock.`,
    '',
    '| form | wire | p50, ms | p99, ms | target |',
    '|---|---|---:|---:|---|',
    ...times.map(
      (row) =>
        `| ${row.name} | ${row.wire} | ${row.p50.toFixed(3)} | ${row.p99.toFixed(3)} | p50 ≤ ${TARGET_MS} ms: ${verdict(row.p50 <= TARGET_MS)} |`,
    ),
  ].join('\n');
}

function boundOf({ bound, isDefault }) {
  const text = Number.isFinite(bound) ? thousands(bound) : 'no bound';
  return isDefault ? `**${text}**` : text;
}

function renderScript({ turnsPerTool, inline, rows }, isSample) {
  const less = (row, key) => 1 - row[key] / inline[key];
  const target = (row) =>
    `≥ ${TARGETS[row.name] * 100} %: ${verdict(less(row, 'perRequest') >= TARGETS[row.name])} per request, ${verdict(less(row, 'perTurn') >= TARGETS[row.name])} per turn`;
  return [
    turnsPerTool === 1 ? '## Another tool in every turn' : `## Another tool every ${turnsPerTool} turns`,
    '',
    `| form | prefetch | searches per turn | requests per turn | tokens per request | less | tokens per turn | less |${isSample ? '' : ' target |'}`,
    `|---|---|---:|---:|---:|---:|---:|---:|${isSample ? '' : '---|'}`,
    `| all inline | | | ${inline.requests.toFixed(2)} | ${thousands(inline.perRequest)} | | ${thousands(inline.perTurn)} | |${isSample ? '' : ' |'}`,
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.prefetch ? 'yes' : 'no'} | ${row.searches.toFixed(2)} | ${row.requests.toFixed(2)} | ${thousands(row.perRequest)} | ${percent(less(row, 'perRequest'))} | ${thousands(row.perTurn)} | ${percent(less(row, 'perTurn'))} |${isSample ? '' : ` ${target(row)} |`}`,
    ),
    '',
    ...rows
      .filter((row) => row.unfound > 0)
      .map(
        (row) =>
          `In the form ${row.name}${row.prefetch ? ' with prefetch' : ''}, ${row.unfound} tools were never found.\n`,
      ),
  ];
}

function drawPicture(scripts) {
  return drawBars(
    scripts.map(({ turnsPerTool, inline, rows }) => ({
      title: `Tokens that the model reads per turn, another tool ${turnsPerTool === 1 ? 'in every turn' : `every ${turnsPerTool} turns`}`,
      bars: [
        { label: 'all inline', value: inline.perTurn },
        ...rows.map((row) => ({ label: `${row.name}${row.prefetch ? ', prefetch' : ''}`, value: row.perTurn })),
      ],
    })),
  );
}

function percent(share) {
  return `${(share * 100).toFixed(2)} %`;
}

function verdict(isMet) {
  return isMet ? 'met' : 'missed';
}

function thousands(value) {
  return Math.round(value).toLocaleString('en-US');
}

/** Mulberry32: the same numbers on every machine. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
