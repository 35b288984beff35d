// What the answer to a search costs: as JSON, as it is sent, and as lines with the same content.
import { createSnapshot, createToolbox, EMPTY_MEMORY, parseTools } from '@quartermaster/core';
import { FORMS } from '@quartermaster/core/disclosure';
import { contextWindow, DEFAULT_GATE_SETTINGS, estimateTokens } from '@quartermaster/core/gate';
import { readServers } from './read-servers.mjs';
import { createRandom } from './synthesise-tools.mjs';

const SEARCHES = 300;

export async function measureAnswers({ path }) {
  const { servers, isSample } = readServers(path);
  const definitions = servers.flatMap(({ server, tools }) => tools.map((tool) => ({ ...tool, server })));
  const snapshot = createSnapshot(parseTools(definitions).tools, { onDuplicate: 'first' });
  const settings = { ...DEFAULT_GATE_SETTINGS, rule: { kind: 'on' } };
  const toolbox = createToolbox({ tools: snapshot, settings });
  const plan = toolbox.plan(contextWindow(), { form: FORMS.bridge });
  const random = createRandom(20261116);
  const pool = snapshot.tools.filter((tool) => wordsOf(tool).length >= 3);
  const sums = { answers: 0, json: 0, lines: 0 };
  for (let count = 0; count < SEARCHES; count += 1) {
    const query = wordsOf(pool[Math.floor(random() * pool.length)])
      .slice(0, 8)
      .join(' ');
    const call = { id: String(count), name: 'tool_search', arguments: { query } };
    const { text } = await toolbox.handle({ plan, call, memory: EMPTY_MEMORY, caller: {} });
    const { matches, ...rest } = JSON.parse(text);
    if (matches.length === 0) continue;
    sums.answers += 1;
    sums.json += estimateTokens(text);
    sums.lines += estimateTokens(asLines(matches, rest));
  }
  const mean = (sum) => Math.round(sum / sums.answers);
  const saved = Math.round((1 - sums.lines / sums.json) * 100);
  const markdown = [
    `Answers to searches: ${sums.answers} of them, ${snapshot.tools.length} tools of ${servers.length} servers.`,
    '',
    '| form of the answer | tokens (estimated, mean) |',
    '|---|---:|',
    `| JSON | ${mean(sums.json)} |`,
    `| lines with the same content | ${mean(sums.lines)} (${saved}% less) |`,
  ].join('\n');
  return { markdown, pictures: {}, record: isSample ? 'answers' : 'answers-real' };
}

function asLines(matches, rest) {
  const lines = matches.map(({ name, signature = '', description, also }) =>
    [
      `- ${name}${signature}`,
      description === undefined ? '' : `: ${description}`,
      also === undefined ? '' : ` (also: ${also.join(', ')})`,
    ].join(''),
  );
  const others = Object.entries(rest).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...lines, ...others].join('\n');
}

function wordsOf({ description }) {
  return description.match(/[\p{L}\p{N}]+/gu) ?? [];
}
