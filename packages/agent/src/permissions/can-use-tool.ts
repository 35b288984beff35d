import { isJsonObject } from '@quartermaster/core/catalog';

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
