import type { JsonObject } from '@quartermaster/core';

/** Asked about calls that neither rules nor the mode decide. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult>;

export interface CanUseToolOptions {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  /** Always empty; there for callbacks that read it. */
  readonly suggestions: readonly never[];
}

export type PermissionResult =
  | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
  | {
      readonly behavior: 'deny';
      /** Told to the model. */
      readonly message: string;
      /** Whether the turn ends here. @default false */
      readonly interrupt?: boolean;
    };

/** What a callback gave back, which may be anything. */
export function readPermissionResult(value: unknown): PermissionResult {
  const result = (typeof value === 'object' && value !== null ? value : {}) as Partial<
    Record<'behavior' | 'message' | 'updatedInput' | 'interrupt', unknown>
  >;
  if (result.behavior === 'allow') {
    const { updatedInput } = result;
    const isObject = typeof updatedInput === 'object' && updatedInput !== null && !Array.isArray(updatedInput);
    return { behavior: 'allow', ...(isObject ? { updatedInput: updatedInput as JsonObject } : {}) };
  }
  const message = typeof result.message === 'string' && result.message !== '' ? result.message : 'The call was denied.';
  return { behavior: 'deny', message, interrupt: result.interrupt === true };
}
