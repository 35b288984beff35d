import { createSnapshot, type Tool } from '@quartermaster/core';
import { checkDefinitions } from './check-definitions.ts';
import { levelOf, type RuleName } from './finding.ts';

interface ToolFinding {
  readonly tool: string;
  readonly rule: RuleName;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly suggestion?: string;
}

/** What is wrong with each definition by itself, for a page that lists them. `lint` also compares them with each other. */
export function lintTools(tools: readonly Tool[]): readonly ToolFinding[] {
  const snapshot = createSnapshot(tools, { maxTools: tools.length, onDuplicate: 'first' });
  return checkDefinitions(snapshot).flatMap((finding) => {
    const { tool, rule, message, suggestion } = finding;
    if (tool === undefined || COMPARING.has(rule)) return [];
    const text = suggestion.description ?? suggestion.note;
    return [
      { tool: tool.id, rule, level: levelOf(finding), message, ...(text === undefined ? {} : { suggestion: text }) },
    ];
  });
}

/** Rules that need the rest of the catalog. */
const COMPARING: ReadonlySet<RuleName> = new Set(['name-clash', 'no-successor']);
