import { writeTool } from '@quartermaster/core/catalog';
import { FORMS } from '@quartermaster/core/disclosure';
import { estimateTokens } from '@quartermaster/core/gate';
import { runWhole } from '@quartermaster/core/loop';
import { anthropicWhole, anthropicWire } from '@quartermaster/wires/anthropic';
import { LIMITS } from './settings.mjs';

/** After which a turn is given up: then the model could not find the tool even by its name. */
const MOST_SEARCHES = 3;

/** What a tool answers: about 150 tokens. */
export const RESULT = JSON.stringify({
  ok: true,
  items: Array.from({ length: 12 }, (_, id) => ({ id, title: `Item number ${id}` })),
});

/** One conversation, client and model scripted, everything between them real. Gives the client's last request. */
export async function converse({ toolbox, form, turns, count }) {
  const plan = planFor(toolbox, form.name);
  const declared =
    plan.kind === 'inline' ? plan.shown.map(({ tool, name }) => writeTool(tool, 'anthropic', { name })) : [];
  /** @type {import('@quartermaster/wires/anthropic').AnthropicRequest} */
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
export function planFor(toolbox, form) {
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
/** @param {import('@quartermaster/wires/anthropic').AnthropicRequest} request */
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
