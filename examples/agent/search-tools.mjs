// An agent with four real MCP servers, whose tools it searches instead of reading them all. It writes and reads real files, in a
// folder of its own that is deleted at the end.
// Run: npm run build && node examples/agent/search-tools.mjs   (no key, no network: the model is a stand-in, see rehearsal())
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, rehearsal } from '@quartermaster/agent';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'quartermaster-agent-')));
const { resolve } = createRequire(import.meta.url);
const server = (name, ...args) => ({
  command: process.execPath,
  args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

const prompts = [
  'Write the text "Milk, bread and tea: done" into the file shopping.txt',
  'Read the complete contents of the file shopping.txt as text',
  'Create entities "Ada Lovelace" of type "person" who "wrote the first program"',
  'Read the entire knowledge graph',
  'What is the sum of the two numbers 40 and 2?',
];

const results = [];

async function* ask() {
  for (const content of prompts) {
    console.log(`\nuser: ${content}`);
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
  }
}

const messages = query({
  prompt: ask(),
  options: {
    upstream: rehearsal(), // leave it out to ask a model: ANTHROPIC_API_KEY, OPENAI_API_KEY or quartermaster.yaml
    cwd: folder,
    mcpServers: {
      files: server('filesystem', folder),
      memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      everything: server('everything'),
      thinking: server('sequential-thinking'),
    },
    allowedTools: ['mcp__files__*', 'mcp__memory__*', 'mcp__everything__get-sum'],
    startWaitMs: 30_000, // the stand-in answers at once; a model takes longer than most servers need to start
  },
});

try {
  for await (const message of messages) show(message);
  console.log(`\nThe tool says: ${results[1]}`);
  console.log(`The file holds: ${await readFile(join(folder, 'shopping.txt'), 'utf8')}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function show(message) {
  if (message.type === 'system' && message.subtype === 'init') {
    const servers = message.mcp_servers.map(({ name, status }) => `${name} (${status})`).join(', ');
    console.log(`${message.tools.length} tools of ${servers}; the model searches them`);
  }
  if (message.type === 'assistant') for (const block of message.message.content) showBlock(block);
  if (message.type === 'user') for (const { content } of message.message.content) showResult(content);
  if (message.type === 'result') {
    const { input_tokens: input, output_tokens: output } = message.usage;
    console.log(`  ${message.subtype} after ${message.num_turns} turns, ${input} tokens in, ${output} out`);
  }
}

function showResult(content) {
  const text = content
    .map((block) => block.text)
    .join(' ')
    .replace(/\s+/g, ' ');
  results.push(text);
  console.log(`  result: ${text.slice(0, 100)}`);
}

function showBlock(block) {
  if (block.type === 'server_tool_use') console.log(`  search: ${block.input.query}`);
  if (block.type === 'tool_search_tool_result') {
    console.log(`  found:  ${block.content.tool_references?.map(({ tool_name: name }) => name).join(', ')}`);
  }
  if (block.type === 'tool_use') console.log(`  call:   ${block.name} ${JSON.stringify(block.input)}`);
}
