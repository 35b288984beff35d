import { SettingError } from '@quartermaster/core/errors';

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
  if (PERMISSION_MODES.includes(mode)) return;
  throw new SettingError(
    'invalid_setting',
    `permissionMode is ${JSON.stringify(mode)}; allowed: ${PERMISSION_MODES.join(', ')}`,
    { context: { setting: 'permissionMode', value: mode } },
  );
}
