import { resolve } from 'node:path';
import { defined } from '@quartermaster/core/internal';
import { invalidSetting } from '../invalid-setting.ts';
import type { Options } from '../options.ts';
import { createFileSessionStore, type SessionStore } from './session-store.ts';

type SessionOptions = Pick<Options, 'sessions' | 'persistSession' | 'resume' | 'continue'>;

/** Where a query stores its session. */
export function sessionStore({ sessions, persistSession }: SessionOptions, cwd: string): SessionStore {
  const store = sessions ?? createFileSessionStore(resolve(cwd, '.quartermaster', 'sessions'));
  if (persistSession !== false) return store;
  const { latest } = store;
  return { read: store.read, append: async () => {}, ...defined({ latest }) };
}

/** Throws a `SettingError` if `continue` can't be followed. */
export function checkSessionOptions(options: SessionOptions, store: SessionStore): void {
  if (options.continue !== true) return;
  const setting = 'continue';
  if (options.resume !== undefined) {
    throw invalidSetting({ setting }, 'options.continue and options.resume are both given: choose one');
  }
  if (store.latest !== undefined) return;
  const problem = 'options.continue needs a store that knows its latest session; this one has no latest(). Use resume';
  throw invalidSetting({ setting }, problem);
}

/** The session to continue, if any: the named one, or the latest. */
export async function resumedSession(options: SessionOptions, store: SessionStore): Promise<string | undefined> {
  return options.continue === true ? store.latest?.() : options.resume;
}
