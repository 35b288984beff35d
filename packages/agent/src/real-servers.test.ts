import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scripted } from '@quartermaster/host/upstream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type McpServerConfig, query, rehearsal, type SDKMessage } from './index.ts';
import { collect, initOf, resultOf, resultsIn } from './testing/collect.fixture.ts';
import { realServer } from './testing/real-servers.fixture.ts';

let folder = '';

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function four(): Record<string, McpServerConfig> {
  return {
    files: realServer('filesystem', [folder]),
    everything: realServer('everything'),
    memory: realServer('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    thinking: realServer('sequential-thinking'),
  };
}

const say = async function* (texts: readonly string[]) {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
  }
};

it('works with four real servers and no model: files are written and read, a graph is kept, numbers are added', async () => {
  const prompt = say([
    'Write the text "buy milk" into the file notes.txt',
    'Read the complete contents of the file notes.txt as text',
    'Create entities "Ada Lovelace" of type "person" who "wrote the first program"',
    'Read the entire knowledge graph',
    'What is the sum of the two numbers 40 and 2?',
  ]);
  const options = {
    upstream: rehearsal(),
    cwd: folder,
    mcpServers: four(),
    allowedTools: ['mcp__files__*', 'mcp__memory__*', 'mcp__everything__*'],
    persistSession: false,
    startWaitMs: 30_000,
  };
  const messages = await collect(query({ prompt, options }));
  expect(initOf(messages).mcp_servers.map(({ status }) => status)).toEqual(Array(4).fill('connected'));
  expect(initOf(messages).tools.length).toBeGreaterThan(30);
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('buy milk');
  expect(called(messages)).toEqual([
    'mcp__files__write_file',
    'mcp__files__read_text_file',
    'mcp__memory__create_entities',
    'mcp__memory__read_graph',
    'mcp__everything__get-sum',
  ]);
  const results = resultsIn(messages);
  expect(results.map(({ isError }) => isError)).toEqual(Array(5).fill(false));
  expect(results[1]?.text).toContain('buy milk');
  expect(results[3]?.text).toContain('wrote the first program');
  expect(results[4]?.text).toContain('42');
  expect(resultOf(messages).usage.server_tool_use.tool_search_requests).toBe(1);
});

it('calls servers side by side, and hands on images', async () => {
  const upstream = scripted({
    dialect: 'anthropic',
    turns: [
      {
        calls: [
          { name: 'mcp__files__write_file', input: { path: join(folder, 'a.txt'), content: 'A' } },
          { name: 'mcp__everything__get-tiny-image' },
          {
            name: 'mcp__thinking__sequentialthinking',
            input: { thought: 'Hm', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
          },
          { name: 'mcp__files__read_text_file', input: { path: '/etc/passwd' } },
        ],
      },
      { text: 'Done.' },
    ],
  });
  const options = {
    ...{ upstream, cwd: folder, mcpServers: four(), allowedTools: ['*'], persistSession: false },
    startWaitMs: 30_000,
  };
  const messages = await collect(query({ prompt: 'Do it', options }));
  const results = resultsIn(messages);
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, true]);
  expect(results[1]?.text).toContain('[image]');
  expect(results[3]?.text).toContain('Access denied');
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('A');
});

function called(messages: readonly SDKMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
      : [],
  );
}
