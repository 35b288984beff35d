import type { ServerStatus } from '@quartermaster/mcp';

/** How a server is doing, in the words of the agent SDK. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** Why it can't be used. */
  readonly error?: string;
}

export function toServerStatus({ name, state, reason }: ServerStatus): McpServerStatus {
  switch (state) {
    case 'ready':
      return { name, status: 'connected', ...(reason === undefined ? {} : { error: reason }) };
    case 'idle':
    case 'connecting':
      return { name, status: 'pending' };
    case 'down': {
      const isSignIn = /sign in/.test(reason ?? '');
      return { name, status: isSignIn ? 'needs-auth' : 'failed', ...(reason === undefined ? {} : { error: reason }) };
    }
  }
}
