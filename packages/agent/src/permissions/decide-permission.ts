import type { Tool } from '@quartermaster/core';
import { isJsonObject } from '@quartermaster/core/catalog';
import { readChoice } from '@quartermaster/core/internal';

export interface PermissionQuestion {
  readonly tool: Tool;
  /** The name that the model sees. */
  readonly name: string;
  readonly mode: PermissionMode;
  readonly isAllowed: boolean;
  readonly isDisallowed: boolean;
  /** Whether its server is a process or an object on this machine. */
  readonly isLocal: boolean;
  /** Whether it is a built-in tool that changes files. */
  readonly editsFiles: boolean;
  /** The decision of a hook. */
  readonly hook?: 'allow' | 'ask' | undefined;
}

export type Permission =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  /** `canUseTool` has to decide. */
  | { readonly kind: 'ask' };

const ALLOW: Permission = { kind: 'allow' };

/** Decides a call: denied by a rule, then by the mode; then the hook's decision; allowed by the mode or a rule; otherwise `ask`. */
export function decidePermission(question: PermissionQuestion): Permission {
  const { tool, name, mode, hook } = question;
  if (question.isDisallowed) return { kind: 'deny', reason: notAllowed(name) };
  if (mode === 'plan' && tool.extras.annotations?.readOnlyHint !== true) {
    return {
      kind: 'deny',
      reason: `${name} was not called: while planning, only tools that change nothing can be used.`,
    };
  }
  if (hook === 'allow') return ALLOW;
  if (hook !== 'ask') {
    if (mode === 'bypassPermissions') return ALLOW;
    if (mode === 'acceptEdits' && (question.editsFiles || (question.isLocal && editsFiles(tool)))) return ALLOW;
    if (question.isAllowed) return ALLOW;
  }
  if (mode === 'dontAsk') return { kind: 'deny', reason: `${name} was not called: it is not among the allowed tools.` };
  return { kind: 'ask' };
}

/** What the model reads about a call that a rule denies. */
export function notAllowed(name: string): string {
  return `${name} was not called: it is not allowed here.`;
}

/** By its name, which needs a verb of change and a word for files: what a definition says about itself proves no more. */
function editsFiles(tool: Tool): boolean {
  const words = tool.name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => EDITS.has(word)) && words.some((word) => FILES.has(word));
}

const EDITS: ReadonlySet<string> = new Set(
  'append copy create edit insert make mkdir modify move patch rename replace save update write'.split(' '),
);
const FILES: ReadonlySet<string> = new Set('dir directories directory file files folder folders notebook'.split(' '));

/** Asked about calls that neither the rules nor the mode decide. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult>;

/** What `canUseTool` receives besides the tool and its input. */
export interface CanUseToolOptions {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  /** Always empty; present for callbacks that read it. */
  readonly suggestions: readonly never[];
}

/** What `canUseTool` decides. */
export type PermissionResult =
  | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
  | {
      readonly behavior: 'deny';
      /** Shown to the model. */
      readonly message: string;
      /** Whether the turn ends here. @default false */
      readonly interrupt?: boolean;
    };

/** The callback's return value, which may be anything. */
export function readPermissionResult(value: unknown): PermissionResult {
  const { behavior, updatedInput, message, interrupt } = isJsonObject(value) ? value : {};
  if (behavior === 'allow') return { behavior, ...(isJsonObject(updatedInput) ? { updatedInput } : {}) };
  const reason = typeof message === 'string' && message !== '' ? message : 'The call was denied.';
  return { behavior: 'deny', message: reason, interrupt: interrupt === true };
}

/** How calls are decided that no rule matches. */
export type PermissionMode =
  /** `canUseTool` is asked; without one they are denied. */
  | 'default'
  /** As `default`, but allows file changes by servers on this machine. */
  | 'acceptEdits'
  /** Allows everything that hooks and `disallowedTools` allow. */
  | 'bypassPermissions'
  /** Allows only tools marked as read-only, with the rules of `default`. */
  | 'plan'
  /** Never asks: denies what `allowedTools` does not name. */
  | 'dontAsk';

const PERMISSION_MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'];

export function checkMode(mode: PermissionMode): void {
  readChoice('permissionMode', mode, PERMISSION_MODES);
}
