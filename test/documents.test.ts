import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from 'quartermaster';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Those that tell people what to type. */
const GUIDES = ['README.md', ...markdownIn('docs').filter((path) => !path.startsWith('docs/decisions/'))];
const DOCUMENTS = [
  ...GUIDES,
  ...markdownIn('docs/decisions'),
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['bench/README.md', 'deploy/README.md', 'eval/README.md', 'examples/README.md', 'examples/catalog/README.md'],
  'packages/semantic/training/README.md',
];

/** Written by people; pages of the reference are made from the code. */
const PROSE = DOCUMENTS.filter((path) => !path.startsWith('docs/reference/') && path !== 'CHANGELOG.md');

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files and headings that are there', () => {
    const missing = linksIn(document).filter((link) => !isThere(document, link));
    expect(missing).toEqual([]);
  });
});

describe.each(PROSE)('%s', (document) => {
  it('is wrapped at 100 columns', () => {
    // Tables, links and lists of names that can't be broken are as long as they are.
    const long = split(document)
      .text.split('\n')
      .filter(
        (line) =>
          line.length > 100 && !/^\s*(\||#|!\[|<|\[[^\]]+\]:)/.test(line) && /\S\s+\S/.test(line.slice(0, 100).trim()),
      )
      .filter((line) => !/^\s*(?:[-*] |\d+\. )?\S+$/.test(line));
    expect(long).toEqual([]);
  });
});

it('ARCHITECTURE.md names source files that are there', () => {
  const files = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }))
    .map((file) => `/${file.replaceAll('\\', '/')}`);
  const named = [...read('ARCHITECTURE.md').matchAll(/`([\w/.-]+\.tsx?)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(
    named.filter((name) => !existsSync(join(root, name)) && !files.some((file) => file.endsWith(`/${name}`))),
  ).toEqual([]);
});

describe.each(GUIDES)('%s', (document) => {
  it('names commands and flags that there are', async () => {
    const wrong: string[] = [];
    for (const line of commandsIn(document)) wrong.push(...(await mistakesIn(line)));
    for (const flag of flagsIn(document)) if (!(await allFlags()).has(flag)) wrong.push(flag);
    expect(wrong).toEqual([]);
  });

  it('runs no package from the registry under our unpublished name', () => {
    expect(registryCommandsIn(read(document))).toEqual([]);
  });
});

describe.each(readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory()))(
  'packages/$name',
  ({ name }) => {
    it('is published with the licence and a page that links to what is there', () => {
      expect(read(`packages/${name}/LICENSE`)).toBe(read('LICENSE'));
      const page = `packages/${name}/README.md`;
      expect(linksIn(page).filter((link) => !isThere(page, link))).toEqual([]);
    });

    it('has a page that runs no package from the registry under our unpublished name', () => {
      expect(registryCommandsIn(read(`packages/${name}/README.md`))).toEqual([]);
    });
  },
);

describe('this test', () => {
  it('sees a command, a flag or a link that is wrong', async () => {
    expect(await mistakesIn('quartermaster serve --prot 1')).toEqual(['quartermaster serve --prot 1: no --prot']);
    expect(await mistakesIn('quartermaster mcp log-in x')).toEqual(['quartermaster mcp log-in x: no log-in']);
    expect(await mistakesIn('quartermaster keys create ci --models "a-*" --json')).toHaveLength(1);
    expect(await mistakesIn('quartermaster keys create ci --models "a-*"')).toEqual([]);
    expect(isThere('README.md', 'docs/none.md')).toBe(false);
    expect(isThere('docs/guides/mcp.md', 'gateway.md#mcp-servers')).toBe(true);
    expect(isThere('docs/guides/mcp.md', 'gateway.md#none')).toBe(false);
  });

  it('sees a command that would run a package from the registry under our name', () => {
    expect(registryCommandsIn('npx quartermaster serve')).toHaveLength(1);
    expect(registryCommandsIn('npx -y quartermaster mcp')).toHaveLength(1);
    expect(registryCommandsIn('"command": "npx", "args": ["-y", "quartermaster", "mcp"]')).toHaveLength(1);
    expect(registryCommandsIn('npx vitest run packages/core')).toEqual([]);
  });

  it('finds commands in blocks, in JSON and in running text', () => {
    expect(commandsIn('docs/guides/mcp.md')).toEqual(
      expect.arrayContaining([
        'quartermaster mcp --mcp-config servers.json',
        'quartermaster mcp --mcp-config /home/me/servers.json',
        'quartermaster mcp login tracker --user key_…',
      ]),
    );
  });
});

/** With all folders below it, except what npm, the site's build and npm run reference put there. */
function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|api|\.)/.test(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

function read(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/** Blocks of code apart from the text around them. */
function split(document: string): { readonly text: string; readonly blocks: readonly string[] } {
  const pieces = read(document).split(/^```.*$/m);
  return {
    text: pieces.filter((_, index) => index % 2 === 0).join('\n'),
    blocks: pieces.filter((_, index) => index % 2 === 1),
  };
}

function inlineCode(document: string): readonly string[] {
  return [...split(document).text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
}

/** Addresses of other hosts are not looked at. */
function linksIn(document: string): readonly string[] {
  return [...split(document).text.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, link = '']) =>
    /^[a-z]+:/i.test(link) ? [] : [link],
  );
}

function isThere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || headingsOf(readFileSync(file, 'utf8')).includes(anchor);
}

/** As GitHub makes addresses of them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Command lines of ours, each from its name to where it ends: a comment, a bracket, another command. Lists of arguments as words. */
function commandsIn(document: string): readonly string[] {
  const lines = [...split(document).blocks.flatMap((block) => block.split('\n')), ...inlineCode(document)];
  return lines.flatMap((line) => {
    const words = line
      .replace(/",\s*(?:"args":\s*\[)?\s*"/g, ' ')
      .replace(/[^\s"]*packages\/cli\/bin\/quartermaster\.js/g, 'quartermaster');
    const found = words.matchAll(/(?<![\w@/.-])(?:quartermaster|qm)(?= (?!-- )[a-z-])[^#|;()\]}`]*/g);
    return [...found].map(([command]) => command.replace(/"?\s*$/, ''));
  });
}

/** `npx` with our name, in a shell or as a list of arguments: outside a clone it would run whatever has that name. */
function registryCommandsIn(text: string): readonly string[] {
  return [...text.matchAll(/npx(?:",\s*"args":\s*\[)?(?:[\s",]+-y)?[\s",]+quartermaster\b/g)].map(
    ([command]) => command,
  );
}

/** Flags that stand alone in running text. */
function flagsIn(document: string): readonly string[] {
  return inlineCode(document).flatMap((code) => /^(--[a-z][a-z-]*)/.exec(code)?.[1] ?? []);
}

interface Help {
  readonly commands: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
}

const helps = new Map<string, Promise<Help>>();

function helpOf(path: readonly string[]): Promise<Help> {
  const key = path.join(' ');
  const known = helps.get(key) ?? readHelp(path);
  helps.set(key, known);
  return known;
}

async function readHelp(path: readonly string[]): Promise<Help> {
  const stdout = Object.assign(new PassThrough(), { columns: 160 });
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const code = await run([...path, '--help'], { stdin, stdout, stderr, env: {} });
  const text = String(stdout.read());
  if (code !== 0) throw new Error(`${path.join(' ')} --help ended with ${code}`);
  const section = (title: string): string =>
    new RegExp(`^${title}:\\n((?: .*\\n|\\n(?= ))*)`, 'm').exec(text)?.[1] ?? '';
  const names = (title: string, pattern: RegExp): ReadonlySet<string> =>
    new Set([...section(title).matchAll(pattern)].map(([, name = '']) => name));
  return {
    commands: names('Commands', /^ {2}([a-z]+)/gm),
    flags: names('Options', /^ {2}(?:-\w, )?(--[a-z-]+)/gm),
  };
}

/** What a command line says that the command does not know. */
async function mistakesIn(line: string): Promise<readonly string[]> {
  const words = line.split(/\s+/).slice(1);
  const path: string[] = [];
  let help = await helpOf([]);
  while (help.commands.size > 0) {
    const next = words[path.length];
    if (next === undefined || /^[-[<]/.test(next)) break;
    if (!help.commands.has(next)) return [`${line}: no ${next}`];
    path.push(next);
    help = await helpOf(path);
  }
  return words.filter((word) => /^--[a-z]/.test(word) && !help.flags.has(word)).map((flag) => `${line}: no ${flag}`);
}

async function allFlags(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const visit = async (path: readonly string[]): Promise<void> => {
    const { commands, flags } = await helpOf(path);
    for (const flag of flags) found.add(flag);
    for (const command of commands) if (command !== 'help') await visit([...path, command]);
  };
  await visit([]);
  return found;
}
