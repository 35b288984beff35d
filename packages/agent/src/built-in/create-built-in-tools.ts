import { defined } from '@quartermaster/core/internal';
import { invalidSetting } from '../invalid-setting.ts';
import type { Options } from '../options.ts';
import { createBashTool } from './bash-tool.ts';
import type { BuiltInMaker, BuiltInTool } from './built-in-tool.ts';
import { createConfinement } from './confinement.ts';
import { createFileCheckpoints, type FileCheckpoints } from './file-checkpoints.ts';
import { createEditTool, createReadTool, createWriteTool } from './file-tools.ts';
import { createGlobTool, createGrepTool } from './search-tools.ts';

/** The available tools, by name. */
export interface BuiltInTools {
  readonly byName: ReadonlyMap<string, BuiltInTool>;
  /** Set if `enableFileCheckpointing` is on. */
  readonly checkpoints?: FileCheckpoints;
}

type BuiltInChoice = Pick<Options, 'tools' | 'allowedTools' | 'additionalDirectories' | 'enableFileCheckpointing'>;

/**
 * The built-in tools that `tools` or `allowedTools` name, and no others. Throws a `SettingError` for one that does
 * not exist.
 */
export function createBuiltInTools(choice: BuiltInChoice, cwd: string): BuiltInTools {
  const { tools = [], allowedTools = [] } = choice;
  const named = isList(tools) ? tools : presetOf(tools);
  const unknown = named.find((name) => !Object.hasOwn(MAKERS, name));
  if (unknown !== undefined) {
    const problem = `tools names ${JSON.stringify(unknown)}, which is not a built-in tool; there are ${Object.keys(MAKERS).join(', ')}`;
    throw invalidSetting({ setting: 'tools', value: unknown }, problem);
  }
  const approved = allowedTools.map((rule) => rule.replace(/\(.*$/s, '')).filter((name) => Object.hasOwn(MAKERS, name));
  const names = [...new Set([...named, ...approved])];
  if (names.length === 0) return { byName: new Map() };
  const confinement = createConfinement(cwd, choice.additionalDirectories);
  const checkpoints = choice.enableFileCheckpointing === true ? createFileCheckpoints(confinement) : undefined;
  const made = names.flatMap((name) => {
    const make = MAKERS[name];
    return make === undefined ? [] : [[name, make(confinement, checkpoints)] as const];
  });
  return { byName: new Map(made), ...defined({ checkpoints }) };
}

function presetOf({
  type,
  preset,
}: Exclude<NonNullable<BuiltInChoice['tools']>, readonly string[]>): readonly string[] {
  if (type === 'preset' && preset === 'claude_code') return Object.keys(MAKERS);
  const problem = `tools is neither a list of names nor { type: 'preset', preset: 'claude_code' }`;
  throw invalidSetting({ setting: 'tools' }, problem);
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
