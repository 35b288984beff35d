import type { Tool } from '@quartermaster/core';

export type Level = 'error' | 'warning';

/** The rules: how severe each one is, and what it means in one line. */
export const RULES = {
  unreadable: { level: 'error', title: 'Definitions that are left out' },
  'no-description': { level: 'error', title: 'No description' },
  'not-found': { level: 'error', title: 'Not found by its own words' },
  'server-budget': { level: 'error', title: 'Servers over their token budget' },
  'below-floor': { level: 'error', title: 'Retrieval below its floor' },
  'short-description': { level: 'warning', title: 'Description too short' },
  'no-verb': { level: 'warning', title: 'No verb: what does it do?' },
  confused: { level: 'warning', title: 'Another tool is found first' },
  twins: { level: 'warning', title: 'Nearly the same text as another tool' },
  'name-clash': { level: 'warning', title: 'Names that other tools have too' },
  'parameter-text': { level: 'warning', title: 'Parameters without a description' },
  'too-long': { level: 'warning', title: 'Definition too long' },
  'no-successor': { level: 'warning', title: 'Deprecated without a successor' },
} as const;

export type RuleName = keyof typeof RULES;

export interface Finding {
  readonly rule: RuleName;
  /** Absent if it is about a server, or about an unreadable definition. */
  readonly tool?: Tool;
  readonly message: string;
  /** What to add to the definition. */
  readonly suggestion: Suggestion;
}

export interface Suggestion {
  /** A draft. */
  readonly description?: string;
  /** Drafts by parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What to do if no draft can be made. */
  readonly note?: string;
}

export function levelOf({ rule }: Finding): Level {
  return RULES[rule].level;
}
