// `npm run check:agent-sdk`: compares the recorded names of the agent SDK with those in its newest published types.
// `--write` records them. The package is packed into a temporary folder, because installing it downloads a native program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@anthropic-ai/claude-agent-sdk';
const recordPath = fileURLToPath(new URL('../packages/agent/src/contract/sdk-names.json', import.meta.url));
const recorded = process.argv.includes('--write') ? undefined : JSON.parse(readFileSync(recordPath, 'utf8'));
const wanted = process.argv.find((argument) => argument.startsWith('--version='))?.slice('--version='.length);

const folder = mkdtempSync(join(tmpdir(), 'quartermaster-agent-sdk-'));
try {
  const found = readNames(fetchTypes(`${PACKAGE}@${wanted ?? 'latest'}`));
  if (recorded === undefined) {
    writeFileSync(recordPath, `${JSON.stringify(found, null, 2)}\n`);
    console.log(`Recorded ${PACKAGE} ${found.version}`);
  } else {
    report(found);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function fetchTypes(spec) {
  const npm = (...args) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename, version }] = JSON.parse(npm('pack', '--json', '--ignore-scripts', spec));
  execFileSync('tar', ['xzf', filename], { cwd: folder });
  return { version, text: readFileSync(join(folder, 'package', 'sdk.d.ts'), 'utf8') };
}

function readNames({ version, text }) {
  return {
    version,
    options: members(block(text, /^export declare type Options = \{$/m)),
    methods: members(block(text, /^export declare interface Query .*\{$/m)),
    agentFields: members(block(text, /^export declare type AgentDefinition = \{$/m)),
    serverFields: distinct(
      ['Stdio', 'Http', 'SSE', 'Sdk'].flatMap((kind) =>
        members(block(text, new RegExp(`^export declare type Mcp${kind}ServerConfig = \\{$`, 'm'))),
      ),
      members(block(text, /^export declare type McpSdkServerConfigWithInstance = McpSdkServerConfig & \{$/m)),
    ),
    sdkServerOptions: members(block(text, /^declare type CreateSdkMcpServerOptions = \{$/m)),
    messages: [...block(text, /^export declare type SDKMessage = /m, ';').matchAll(/\bSDK\w+/g)]
      .map(([name]) => name)
      .sort(),
    hooks: [...block(text, /^export declare const HOOK_EVENTS: /m, ';').matchAll(/'(\w+)'/g)]
      .map(([, name]) => name)
      .sort(),
  };
}

/** The text between a declaration's first line and the end of it. */
function block(text, start, end = '\n}') {
  const match = start.exec(text);
  if (match === null) throw new Error(`The types have no ${start}: this script has to learn their new shape`);
  const from = match.index + match[0].length;
  return text.slice(from, text.indexOf(end, from));
}

/** Members stand at the first level of indentation. */
function members(text) {
  return [...text.matchAll(/^ {4}(\w+)\??[:(<]/gm)].map(([, name]) => name).sort();
}

function distinct(...lists) {
  return [...new Set(lists.flat())].sort();
}

function report(found) {
  const kinds = Object.keys(found).filter((kind) => kind !== 'version');
  const changes = kinds.flatMap((kind) => [
    ...found[kind].filter((name) => !recorded[kind]?.includes(name)).map((name) => `+ ${kind}: ${name}`),
    ...(recorded[kind] ?? []).filter((name) => !found[kind].includes(name)).map((name) => `- ${kind}: ${name}`),
  ]);
  console.log(`Recorded: ${recorded.version}; published: ${found.version}; ${changes.length} names differ`);
  for (const change of changes) console.log(change);
  if (changes.length > 0) {
    console.log(
      'Record them with npm run check:agent-sdk -- --write, then add rows to packages/agent/src/contract/sdk-contract.ts',
    );
    process.exitCode = 1;
  }
}
