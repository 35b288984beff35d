// What the answer to a search costs: as it is sent (lines in a JSON list), and as other forms of the same content.
import { createSnapshot, createToolbox, EMPTY_MEMORY, parseTools } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import { contextWindow, DEFAULT_GATE_SETTINGS, estimateTokens } from '@quartermaster/core/gate';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { readServers } from './read-servers.mjs';
import { createRandom } from './synthesise-tools.mjs';

const SEARCHES = 300;

const WRITERS = {
  'JSON objects': (matches, rest) => JSON.stringify({ matches: matches.map(fieldsOf), ...rest }),
  'lines in a JSON list (sent)': (matches, rest) => JSON.stringify({ matches, ...rest }),
  'plain lines': (matches, rest) =>
    [
      ...matches.map((line) => `- ${line}`),
      ...Object.entries(rest).map(([key, value]) => `${key}: ${plain(value)}`),
    ].join('\n'),
};

export async function measureAnswers({ path }) {
  const { servers, isSample } = readServers(path);
  const definitions = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
  const snapshot = createSnapshot(parseTools(definitions).tools, { onDuplicate: 'first' });
  const settings = { ...DEFAULT_GATE_SETTINGS, rule: /** @type {const} */ ({ kind: 'on' }) };
  const toolbox = createToolbox({ tools: snapshot, settings });
  const plan = toolbox.plan(contextWindow(), { form: FORMS.bridge });
  const random = createRandom(20261116);
  const pool = snapshot.tools.filter((tool) => wordsOf(tool).length >= 3);
  const answers = [];
  for (let count = 0; count < SEARCHES; count += 1) {
    const query = wordsOf(pool[Math.floor(random() * pool.length)])
      .slice(0, 8)
      .join(' ');
    const call = { id: String(count), name: 'tool_search', arguments: { query } };
    const step = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY, caller: {} });
    if (step.kind !== 'answer') throw new Error(`The search was answered by "${step.kind}"`);
    const { matches, ...rest } = JSON.parse(step.text);
    if (matches.length > 0) answers.push({ matches, rest });
  }
  const rows = Object.entries(WRITERS).map(([form, write]) => {
    const mean = (count) =>
      Math.round(answers.reduce((sum, { matches, rest }) => sum + count(write(matches, rest)), 0) / answers.length);
    return `| ${form} | ${mean(countTokens)} | ${mean(estimateTokens)} |`;
  });
  const markdown = [
    '# Answers to searches',
    '',
    `${answers.length} searches, ${snapshot.tools.length.toLocaleString('en-US')} tools of ${servers.length} servers. Means, in tokens of`,
    'o200k_base, and estimated as a quarter of the characters.',
    '',
    '| form of the answer | o200k_base | estimated |',
    '|---|---:|---:|',
    ...rows,
  ].join('\n');
  return { markdown, pictures: {}, record: isSample ? 'answers' : 'answers-real' };
}

/** A line taken apart. What has no line is an object already. */
function fieldsOf(match) {
  if (typeof match !== 'string') return match;
  const [, name, signature, description, also] =
    /^([^\s(:]+)(\(.*?\))?(?:: (.*?))?(?: \(also: ([^)]*)\))?$/s.exec(match) ?? [];
  return { name, signature, description, also: also?.split(', ') };
}

function plain(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wordsOf({ description }) {
  return description.match(/[\p{L}\p{N}]+/gu) ?? [];
}
