import { defined } from '@quartermaster/core/internal';
import type { ServerStatus } from '@quartermaster/mcp';

/** The state of a server, in the terms of the agent SDK. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  /** Why it, or some of its tools, can't be used. */
  readonly error?: string;
}

/** `missing` is what a search reports about the server: a list that was cut off, unreadable tools. */
export function toServerStatus(
  { name, state, reason }: ServerStatus,
  missing: string | undefined = reason,
): McpServerStatus {
  switch (state) {
    case 'ready':
      return { name, status: 'connected', ...defined({ error: missing }) };
    case 'idle':
    case 'connecting':
      return { name, status: 'pending' };
    case 'down': {
      const isSignIn = /sign in/.test(reason ?? '');
      return { name, status: isSignIn ? 'needs-auth' : 'failed', ...defined({ error: reason }) };
    }
  }
}
