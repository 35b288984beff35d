import { SettingError } from '@quartermaster/core/errors';

/** How calls are decided that no rule covers. */
export type PermissionMode =
  /** `canUseTool` is asked; without one they are denied. */
  | 'default'
  /** As `default`, but changes of files by servers on this machine are let through. */
  | 'acceptEdits'
  /** Everything passes that hooks and `disallowedTools` let pass. */
  | 'bypassPermissions'
  /** Only tools that call themselves read-only can be called, by the rules of `default`. */
  | 'plan'
  /** Never asks: what `allowedTools` does not name is denied. */
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
