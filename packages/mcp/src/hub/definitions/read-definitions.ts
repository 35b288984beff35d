import { parseTools, type Tool } from '@quartermaster/core';
import { compileGlob, isJsonObject, type JsonObject } from '@quartermaster/core/catalog';
import { cutText, findInvisibleKey, hasInvisible, stripInvisibleTexts } from '@quartermaster/core/internal';
import { digest } from '../../digest.ts';
import { describeError } from '../../errors.ts';
import type { ServerOptions } from '../server-settings.ts';
import { findBadHeaderName } from './check-header-names.ts';
import type { ListedDefinition } from './list-tools.ts';

/** A readable definition. */
export interface ReadDefinition {
  readonly tool: Tool;
  readonly definition: JsonObject;
  /** SHA-256 of its JSON. */
  readonly hash: string;
}

export interface ReadDefinitions {
  readonly read: readonly ReadDefinition[];
  /** What is wrong with the others, one sentence each. */
  readonly problems: readonly string[];
  /** How many can't be read, and the reason for one of them. */
  readonly unreadable?: string;
}

export interface ReadOptions extends Pick<ServerOptions, 'allow' | 'deny' | 'policy'> {
  readonly server: string;
  /** What was read before with the same options; read definitions are added. @default everything is read */
  readonly known?: WeakMap<ListedDefinition, ReadDefinition>;
}

/** A larger definition is left out. */
const MOST_BYTES: number = 1024 * 1024;
const MOST_NAME_CHARACTERS = 512;
const MOST_PROBLEMS = 50;
const MOST_EXAMPLE_CHARACTERS = 200;

/** Reads a server's definitions one by one: an unusable one is reported and does not affect the others. */
export function readDefinitions(list: readonly ListedDefinition[], options: ReadOptions): ReadDefinitions {
  const read: ReadDefinition[] = [];
  const problems: string[] = [];
  const unreadable: string[] = [];
  const names = new Set<string>();
  const isWanted = compileFilter(options);
  for (const [index, listed] of list.entries()) {
    const result = options.known?.get(listed) ?? readOne(listed, index, options);
    if (typeof result !== 'string') options.known?.set(listed, result);
    if (typeof result === 'string') {
      unreadable.push(result);
      problems.push(result);
    } else if (names.has(result.tool.name)) {
      problems.push(`Tool ${index} (${JSON.stringify(result.tool.name)}) repeats an earlier name and is left out`);
    } else if (isWanted(result.tool)) {
      names.add(result.tool.name);
      read.push(result);
    }
  }
  return { read, problems: bounded(problems), ...countUnreadable(unreadable, list.length) };
}

function readOne({ value, text }: ListedDefinition, index: number, options: ReadOptions): ReadDefinition | string {
  const { server, policy } = options;
  try {
    const source = JSON.stringify(server);
    const isClean = text === undefined || !hasInvisible(text);
    const { tools, problems } = parseTools([isClean ? value : stripInvisibleTexts(value)], {
      format: 'mcp',
      server,
      missingDeferral: policy,
      source,
    });
    const [tool] = tools;
    if (tool === undefined || !isJsonObject(value)) return atIndex(problems[0]?.message ?? '', index);
    if (tool.name.length > MOST_NAME_CHARACTERS) return `Tool ${index} has a name of ${tool.name.length} characters`;
    const which = `Tool ${index} (${JSON.stringify(tool.name)})`;
    if (!isClean && (findInvisibleKey(value) !== undefined || tool.name !== value.name)) {
      return `${which} has a name with invisible characters, of its own or of a parameter`;
    }
    if (text === undefined) return `${which} can't be written as JSON`;
    if (text.length > MOST_BYTES) return `${which} is ${text.length} bytes long, more than ${MOST_BYTES}`;
    const badHeader = text.includes('x-mcp-header') ? findBadHeaderName(tool.schema) : undefined;
    if (badHeader !== undefined) return `${which} is left out: ${badHeader}`;
    const decided = policy === undefined || tool.policy === policy ? tool : { ...tool, policy };
    return { tool: decided, definition: value, hash: digest([text]) };
  } catch (error) {
    return `Tool ${index} can't be read: ${describeError(error)}`;
  }
}

function countUnreadable([example, ...others]: readonly string[], total: number): { readonly unreadable?: string } {
  if (example === undefined) return {};
  const count = others.length + 1;
  const which =
    count === total ? 'none of its tools can be used' : `${count.toLocaleString('en-US')} of its tools can't be used`;
  return { unreadable: `${which}, such as: ${cutText(example, MOST_EXAMPLE_CHARACTERS)}` };
}

/** Definitions are parsed one at a time, so each is the first of its list. */
function atIndex(message: string, index: number): string {
  return message.replace(/^Tool 0/, `Tool ${index}`);
}

/** By the tool's own name, or by its id. */
function compileFilter({ allow, deny }: ReadOptions): (tool: Tool) => boolean {
  const allowed = allow?.map(compileGlob);
  const denied = (deny ?? []).map(compileGlob);
  return (tool) => {
    const matches = (glob: ReturnType<typeof compileGlob>): boolean => glob.matches(tool.name) || glob.matches(tool.id);
    return (allowed === undefined || allowed.some(matches)) && !denied.some(matches);
  };
}

function bounded(problems: readonly string[]): readonly string[] {
  if (problems.length <= MOST_PROBLEMS) return problems;
  const rest = problems.length - MOST_PROBLEMS;
  return [
    ...problems.slice(0, MOST_PROBLEMS),
    `${rest} more ${rest === 1 ? 'definition' : 'definitions'} can't be used`,
  ];
}
