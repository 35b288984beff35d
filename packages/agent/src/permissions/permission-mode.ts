/** How calls are decided that no rule speaks of. */
export type PermissionMode =
  /** `canUseTool` is asked; without one they are denied. */
  | 'default'
  /** As `default`, but changes of files by servers on this machine are let through. */
  | 'acceptEdits'
  /** Everything passes that hooks and `disallowedTools` let pass. */
  | 'bypassPermissions'
  /** Only tools that call themselves read-only can be called, by the rules of `default`. */
  | 'plan'
  /** Nobody is asked: what `allowedTools` does not name is denied. */
  | 'dontAsk';

export const PERMISSION_MODES: readonly PermissionMode[] = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
];
