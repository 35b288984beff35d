import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Options, query } from '../index.ts';
import { checkOptions, OWN_OPTIONS, supportedIn } from './check-options.ts';
import {
  AGENT_FIELD_ROWS,
  type ContractRow,
  HOOK_ROWS,
  MESSAGE_ROWS,
  METHOD_ROWS,
  OPTION_ROWS,
  SDK_SERVER_ROWS,
  SERVER_FIELD_ROWS,
} from './sdk-contract.ts';

/** Read from the types of the published package by `npm run check:agent-sdk`. */
const names: Record<(typeof TABLES)[number][1], string[]> & { version: string } = JSON.parse(
  readFileSync(new URL('./sdk-names.json', import.meta.url), 'utf8'),
);

const TABLES = [
  ['Options', 'options', OPTION_ROWS],
  ['Methods of a query', 'methods', METHOD_ROWS],
  ['Agent fields', 'agentFields', AGENT_FIELD_ROWS],
  ['Server fields', 'serverFields', SERVER_FIELD_ROWS],
  ['Options of createSdkMcpServer', 'sdkServerOptions', SDK_SERVER_ROWS],
  ['Message types', 'messages', MESSAGE_ROWS],
  ['Hook events', 'hooks', HOOK_ROWS],
] as const;

describe('the contract with the agent SDK', () => {
  it.each(TABLES)('has a row for each name: %s', (_title, kind, rows) => {
    expect(Object.keys(rows).sort()).toEqual([...names[kind]].sort());
  });

  it('says what to do instead of what is refused, and why the rest is ignored', () => {
    const silent = TABLES.flatMap(([, , rows]) =>
      Object.entries(rows).filter(([, { standing, note }]) => standing !== 'supported' && note === ''),
    );
    expect(silent).toEqual([]);
  });

  it('supports the options that there are', () => {
    const known = [...OWN_OPTIONS, ...supportedIn(OPTION_ROWS)].sort();
    // Fails to compile where an option has been added and is missing here.
    const all: Record<keyof Options, true> = ALL_OPTIONS;
    expect(known).toEqual(Object.keys(all).sort());
    expectTypeOf<keyof typeof ALL_OPTIONS>().toEqualTypeOf<keyof Options>();
  });

  it.each(Object.entries(OPTION_ROWS).filter(([, { standing }]) => standing === 'refused'))(
    'refuses options.%s at once, by name',
    (name, { note }) => {
      expect(() => query({ prompt: 'x', options: { [name]: 'something' } as never })).toThrow(
        `options.${name} is not supported. ${note}`,
      );
      for (const nothing of [undefined, false, [], {}, '']) checkOptions({ [name]: nothing });
    },
  );

  it('refuses an unknown option', () => {
    expect(() => query({ prompt: 'x', options: { maxTurn: 3 } as never })).toThrow(
      /Unknown option "maxTurn"\. Allowed: .*maxTurns/,
    );
    expect(() => query({ prompt: 'x', options: JSON.parse('{"constructor": 1}') })).toThrow(
      'Unknown option "constructor"',
    );
  });

  it.each(Object.entries(AGENT_FIELD_ROWS).filter(([, { standing }]) => standing === 'refused'))(
    'refuses agents.helper.%s by name',
    (name, { note }) => {
      const agents = { helper: { description: 'Helps.', prompt: 'Help.', [name]: 'something' } };
      expect(() => query({ prompt: 'x', options: { agents } })).toThrow(
        `agents.helper.${name} is not supported. ${note}`,
      );
    },
  );

  it.each(Object.entries(METHOD_ROWS))('has each method of a query: %s', async (name, { standing, note }) => {
    const running = query({ prompt: 'x' }) as unknown as Record<string, () => Promise<unknown>>;
    expect(typeof running[name]).toBe('function');
    if (standing === 'refused') await expect(running[name]?.()).rejects.toThrow(`${name}() is not supported. ${note}`);
  });

  it('is written down in docs/reference/agent-sdk.md', async () => {
    await expect(document()).toMatchFileSnapshot('../../../../docs/reference/agent-sdk.md');
  });
});

function document(): string {
  const sections = TABLES.map(([title, , rows]) => `## ${title}\n${counts(rows)}\n\n${table(rows)}`);
  return `${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

function counts(rows: Readonly<Record<string, ContractRow>>): string {
  const all = Object.values(rows);
  const number = (standing: string): number => all.filter((row) => row.standing === standing).length;
  return `${number('supported')} supported, ${number('refused')} refused, ${number('ignored')} ignored.`;
}

function table(rows: Readonly<Record<string, ContractRow>>): string {
  const lines = Object.entries(rows).map(([name, { standing, note }]) => `| \`${name}\` | ${standing} | ${note} |`);
  return ['| name | status | difference, alternative, or why it has no effect |', '|---|---|---|', ...lines].join('\n');
}

const INTRODUCTION = `# Compared with the Claude agent SDK
This page is generated from \`packages/agent/src/contract/sdk-contract.ts\`. To update it, run
\`npx vitest run packages/agent/src/contract -u\`. The names are those of
\`@anthropic-ai/claude-agent-sdk\` ${names.version}; \`npm run check:agent-sdk\` compares them with the
newest version.

- **supported**: works as in the SDK, except for what the note says.
- **refused**: an option or a hook throws at once, a method rejects; the error says what to do
  instead. Empty values of an option (\`false\`, \`[]\`, \`{}\`, \`''\`) are accepted.
- **ignored**: accepted, because it has no effect here. Ignored messages are never yielded.`;

const ALL_OPTIONS = {
  abortController: true,
  additionalDirectories: true,
  agents: true,
  allowedTools: true,
  canUseTool: true,
  capabilities: true,
  contextTokens: true,
  continue: true,
  costOf: true,
  cwd: true,
  disallowedTools: true,
  enableFileCheckpointing: true,
  env: true,
  forkSession: true,
  forwardSubagentText: true,
  form: true,
  hooks: true,
  includePartialMessages: true,
  maxBudgetUsd: true,
  maxOutputTokens: true,
  maxTurns: true,
  mcpServers: true,
  model: true,
  outputFormat: true,
  permissionMode: true,
  persistSession: true,
  pins: true,
  policies: true,
  prices: true,
  resume: true,
  searcher: true,
  sessionId: true,
  sessions: true,
  signIn: true,
  startWaitMs: true,
  systemPrompt: true,
  toolSearchThreshold: true,
  tools: true,
  upstream: true,
} as const;
