import { SettingError } from '@quartermaster/core/errors';
import { createBashTool } from './bash-tool.ts';
import type { BuiltInMaker, BuiltInTool } from './built-in-tool.ts';
import { createConfinement } from './confinement.ts';
import { createEditTool, createReadTool, createWriteTool } from './file-tools.ts';
import { createGlobTool, createGrepTool } from './search-tools.ts';

export type BuiltInTools = ReadonlyMap<string, BuiltInTool>;

export interface BuiltInChoice {
  /** The SDK's `tools`: names, or its preset, which is all of them here. */
  readonly tools?: readonly string[] | { readonly type: 'preset'; readonly preset: 'claude_code' };
  readonly allowedTools?: readonly string[];
  readonly additionalDirectories?: readonly string[];
}

/**
 * The built-in tools that are asked for: those in `tools`, and those that `allowedTools` names. No others. Throws a `SettingError` for one
 * that is not here.
 */
export function createBuiltInTools(choice: BuiltInChoice, cwd: string): BuiltInTools {
  const { tools = [], allowedTools = [] } = choice;
  const isPreset = !isList(tools);
  const named = isPreset ? Object.keys(MAKERS) : tools;
  const unknown = named.find((name) => !Object.hasOwn(MAKERS, name));
  if (unknown !== undefined) {
    const problem = `tools names ${JSON.stringify(unknown)}, which is not here; there are ${Object.keys(MAKERS).join(', ')}`;
    throw new SettingError('invalid_setting', problem, { context: { setting: 'tools', value: unknown } });
  }
  const approved = allowedTools.map((rule) => rule.replace(/\(.*$/s, '')).filter((name) => Object.hasOwn(MAKERS, name));
  const names = [...new Set([...named, ...approved])];
  if (names.length === 0) return new Map();
  const confinement = createConfinement(cwd, choice.additionalDirectories);
  return new Map(names.flatMap((name) => (MAKERS[name] === undefined ? [] : [[name, MAKERS[name](confinement)]])));
}

function isList(tools: NonNullable<BuiltInChoice['tools']>): tools is readonly string[] {
  return Array.isArray(tools);
}

const MAKERS: Readonly<Record<string, BuiltInMaker>> = {
  Read: createReadTool,
  Write: createWriteTool,
  Edit: createEditTool,
  Glob: createGlobTool,
  Grep: createGrepTool,
  Bash: createBashTool,
};
