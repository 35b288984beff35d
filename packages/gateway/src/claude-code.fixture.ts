import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './configured-gateway.fixture.ts';

/** Brings Claude Code 2.1.325. Installed by the tests that need it alone: its program for one platform has 350 MB. */
const PACKAGE = '@anthropic-ai/claude-agent-sdk';
const VERSION = '0.3.325';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));

/** As much of the package as is used here. */
interface AgentSdk {
  query(question: { readonly prompt: string; readonly options: object }): AsyncIterable<AgentMessage>;
}

export interface AgentMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly is_error?: boolean;
  readonly result?: string;
}

export interface ClaudeCodeTask {
  readonly prompt: string;
  readonly model: string;
  /** Where the Messages API is. */
  readonly baseUrl: string;
  /** The address of an MCP server that Claude Code knows as `reports`. */
  readonly mcpUrl: string;
  /** Tools that it may use without asking. */
  readonly allowedTools: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Installs the package once, in a folder of its own. Fails where the registry can't be reached. */
export async function installClaudeCode(): Promise<void> {
  if (existsSync(folder())) return;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'claude-agent-sdk-'));
  try {
    // Its peers are for servers in the same process, which no one here starts.
    const flags = [
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--legacy-peer-deps',
      '--fetch-retries=1',
    ];
    await promisify(execFile)('npm', ['install', '--prefix', unfinished, ...flags, `${PACKAGE}@${VERSION}`], {
      cwd: unfinished,
    });
    renameSync(unfinished, folder());
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (existsSync(folder())) return;
    throw new Error(`${PACKAGE}@${VERSION} can't be installed; this test needs the npm registry once`, {
      cause: error,
    });
  }
}

export interface ClaudeCodeRun {
  readonly told: readonly AgentMessage[];
  /** Hosts that it wanted to reach beyond the two of its task, and could not. */
  readonly strangers: readonly string[];
}

/** Lets Claude Code work on a task, with an empty home and no one to talk to but the two addresses. */
export async function runClaudeCode(task: ClaudeCodeTask): Promise<ClaudeCodeRun> {
  const entry = join(folder(), 'node_modules', PACKAGE, 'sdk.mjs');
  const { query } = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as AgentSdk;
  const home = temporaryFolder();
  const { url: proxy, strangers } = await closedProxy();
  const told: AgentMessage[] = [];
  const errors: string[] = [];
  const options = {
    cwd: home,
    model: task.model,
    maxTurns: 8,
    mcpServers: { reports: { type: 'http', url: task.mcpUrl } },
    strictMcpConfig: true,
    settingSources: [],
    persistSession: false,
    allowedTools: task.allowedTools,
    stderr: (text: string) => errors.push(text),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: task.baseUrl,
      ANTHROPIC_API_KEY: 'sk-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1',
      ...task.env,
    },
  };
  try {
    for await (const message of query({ prompt: task.prompt, options })) told.push(message);
  } catch (error) {
    throw new Error(`Claude Code failed: ${errors.join('')}`, { cause: error });
  }
  return { told, strangers };
}

/** A proxy that lets no one through. */
async function closedProxy(): Promise<{ readonly url: string; readonly strangers: readonly string[] }> {
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    strangers.push(request.url ?? '');
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    strangers.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, strangers };
}

function folder(): string {
  return join(CACHE, `claude-agent-sdk-${VERSION}`);
}
