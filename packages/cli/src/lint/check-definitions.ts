import { createSnapshot, type Snapshot, type Tool } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { snapshotTokens } from '@quartermaster/core/gate';
import { defined } from '@quartermaster/core/internal';
import type { GatewayOptions } from '@quartermaster/gateway';
import { groupBy } from '../group-by.ts';
import { count } from '../terminal/index.ts';
import { type Finding, levelOf, type RuleName } from './finding.ts';
import { countWords, hasVerb, nameKey, wordsOf } from './words.ts';

interface DefinitionLimits {
  /** @default none */
  readonly tokensPerServer?: number | undefined;
}

/** What can be checked in definitions without a search. */
export function checkDefinitions(snapshot: Snapshot, { tokensPerServer }: DefinitionLimits = {}): readonly Finding[] {
  const { byTool } = snapshotTokens(snapshot);
  // A name made of punctuation can't be compared.
  const names = groupBy(snapshot.tools, ({ name }) => [nameKey(name)].filter((key) => key !== ''));
  const findings: Finding[] = [];
  const servers = new Map<string | undefined, number>();
  for (const tool of snapshot.tools) {
    const tokens = byTool.get(tool) ?? 0;
    servers.set(tool.server, (servers.get(tool.server) ?? 0) + tokens);
    findings.push(
      ...checkDescription(tool),
      ...checkParameters(tool),
      ...checkLength(tool, tokens),
      ...checkName(tool, names),
      ...checkSuccessor(tool, names),
    );
  }
  for (const [server = '(no server)', tokens] of servers) {
    if (tokensPerServer === undefined || tokens <= tokensPerServer) continue;
    const message = `${server}: about ${count(tokens)} tokens, ${count(tokensPerServer)} allowed`;
    findings.push({ rule: 'server-budget', message, suggestion: { note: `Shorten the tools of ${server}` } });
  }
  return findings;
}

function checkDescription(tool: Tool): readonly Finding[] {
  // A provider describes its own tools to the model.
  if (tool.extras.providerType !== undefined) return [];
  const draft = draftDescription(tool);
  const text = tool.description.trim();
  if (text === '') {
    return [{ rule: 'no-description', tool, message: 'has no description', suggestion: { description: draft } }];
  }
  const words = countWords(text);
  if (words < FEWEST_WORDS) {
    const message = `its description has ${words} ${words === 1 ? 'word' : 'words'}: ${JSON.stringify(text)}`;
    return [
      {
        rule: 'short-description',
        tool,
        message,
        suggestion: { description: `${text}${/[.!?]$/.test(text) ? '' : '.'} ${draft}` },
      },
    ];
  }
  if (hasVerb(`${tool.name} ${text}`)) return [];
  const note = 'Begin the description with what the tool does: "Create …", "List …"';
  return [{ rule: 'no-verb', tool, message: 'neither its name nor its description has a verb', suggestion: { note } }];
}

function checkParameters(tool: Tool): readonly Finding[] {
  const { properties } = tool.schema;
  if (!isJsonObject(properties) || tool.extras.freeform === true) return [];
  const missing = Object.entries(properties).flatMap(([name, schema]) => {
    if (!isJsonObject(schema)) return [];
    if (typeof schema.description === 'string' && schema.description.trim() !== '') return [];
    const type = typeof schema.type === 'string' ? ` (${schema.type})` : '';
    return [[name, `The ${wordsOf(name).join(' ')} of … ${type}`.replace('  ', ' ')] as const];
  });
  if (missing.length === 0) return [];
  const message = `no description for ${missing.map(([name]) => name).join(', ')}`;
  return [{ rule: 'parameter-text', tool, message, suggestion: { parameters: Object.fromEntries(missing) } }];
}

function checkLength(tool: Tool, tokens: number): readonly Finding[] {
  if (tokens <= MOST_TOKENS) return [];
  const note = `Cut it below ${count(MOST_TOKENS)} tokens: a model reads all of it each time it is found`;
  return [{ rule: 'too-long', tool, message: `about ${count(tokens)} tokens`, suggestion: { note } }];
}

function checkName(tool: Tool, names: ReadonlyMap<string, readonly Tool[]>): readonly Finding[] {
  const others = (names.get(nameKey(tool.name)) ?? []).filter((other) => other !== tool);
  const [first] = others;
  if (first === undefined) return [];
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  const note = `Give it a unique name, or a description that says how it differs from ${first.id}`;
  return [
    {
      rule: 'name-clash',
      tool,
      message: `same name as ${first.id}${more}${first.name === tool.name ? '' : ', apart from case and punctuation'}`,
      suggestion: { note },
    },
  ];
}

function checkSuccessor(tool: Tool, names: ReadonlyMap<string, readonly Tool[]>): readonly Finding[] {
  if (!DEPRECATED.test(tool.description)) return [];
  const words = tool.description.slice(0, 4_000).match(/[\p{L}\p{N}]+(?:[_\-./:]{1,2}[\p{L}\p{N}]+)*/gu) ?? [];
  const namesAnother = words.some((word) => (names.get(nameKey(word)) ?? []).some((other) => other !== tool));
  if (namesAnother) return [];
  const note = 'Name the tool that replaces it ("Deprecated, use NAME"), or remove it';
  return [
    { rule: 'no-successor', tool, message: 'is deprecated and names no tool to use instead', suggestion: { note } },
  ];
}

function draftDescription({ name, schema }: Tool): string {
  const words = wordsOf(name).join(' ');
  const parameters = isJsonObject(schema.properties) ? Object.keys(schema.properties).slice(0, 5) : [];
  const by = parameters.length === 0 ? '' : ` Takes ${parameters.join(', ')}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.${by} Use it when …`;
}

const FEWEST_WORDS = 4;
const MOST_TOKENS = 1_000;
const DEPRECATED = /\b(?:deprecated|obsolete|superseded|no longer (?:supported|maintained)|will be removed)\b/i;

/** What is wrong with each definition by itself, for a page that lists them. `lint` also compares them with each other. */
export const lintTools: NonNullable<GatewayOptions['lint']> = (tools) => {
  const snapshot = createSnapshot(tools, { maxTools: tools.length, onDuplicate: 'first' });
  return checkDefinitions(snapshot).flatMap((finding) => {
    const { tool, rule, message, suggestion } = finding;
    if (tool === undefined || COMPARING.has(rule)) return [];
    const text = suggestion.description ?? suggestion.note;
    return [{ tool: tool.id, rule, level: levelOf(finding), message, ...defined({ suggestion: text }) }];
  });
};

/** Rules that need the rest of the catalog. */
const COMPARING: ReadonlySet<RuleName> = new Set(['name-clash', 'no-successor']);
